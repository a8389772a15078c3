"""The benchmark of faults injures what it says it injures, counts only real faults, and its programs are sound."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sweep import sweep

FOLDER = str(Path(__file__).parents[2] / "benchmarks")
sys.path.insert(0, FOLDER)
from injury import child, devices, fixing, making, table  # noqa: E402
from injury.case import Case, case  # noqa: E402
from injury.injury import Injury  # noqa: E402
from injury.judging import Told  # noqa: E402
from injury.program import Program, programs  # noqa: E402
from injury.real import Outcome, as_good, run  # noqa: E402
from injury.work import Sound  # noqa: E402

sys.path.remove(FOLDER)

LEARNED = {
    ("main.py", "f", "x"): frozenset({"float16"}),
    ("main.py", "f", "net"): frozenset({"module"}),
    ("main.py", "f", "keep"): frozenset({"bool"}),
}


def injured(line, learned=LEARNED):
    """(kind, the line injured) of every injury of a line in a function `f`."""
    found = made("main.py", f"def f(x, net, keep):\n    {line}\n", learned)
    return {(one.kind, one.injured.strip()) for one in found}


def made(file, source, learned):
    return [one for site in making.sites(file, source, learned) if (one := site.injury()) is not None]


@sweep(
    ("line", "expected"),
    [
        (
            "a = torch.zeros(2, dtype=d, device=x.device)",
            {
                ("dropped dtype argument", "a = torch.zeros(2, device=x.device)"),
                ("dropped device argument", "a = torch.zeros(2, dtype=d)"),
            },
        ),
        ("mask = torch.ones(2, dtype=d)", {("float32 mask", "mask = torch.ones(2)")}),
        (
            "a = x.to(device)",
            {
                ("forgotten move", "a = x"),
                ("wrong device index", 'a = x.to("cuda:1")'),
            },
        ),
        ("y = y.to(device)", {("wrong device index", 'y = y.to("cuda:1")')}),
        (
            "a = net(b.long())",
            {
                ("integer target of another type", "a = net(b)"),
                ("integer target of another type", "a = net(b.int())"),
                ("integer target of another type", "a = net(b.float())"),
            },
        ),
        (
            "a = x * 2",
            {
                ("stray .float()", "a = x.float() * 2"),
                ("stray .double()", "a = x.double() * 2"),
                ("stray .bfloat16()", "a = x.bfloat16() * 2"),
                ("stray .cpu()", "a = x.cpu() * 2"),
            },
        ),
        (
            "g(keep)",
            {
                ("float32 mask", "g(keep.float())"),
                ("float32 mask", "g(keep.long())"),
                ("stray .cpu()", "g(keep.cpu())"),
            },
        ),
        (
            "net = Net() + 0",
            {("wrong component cast", f"net = (Net() + 0).{cast}()") for cast in ("half", "float", "double")},
        ),
        (
            'self.register_buffer("mean", a, persistent=False)',
            {("buffer as a plain tensor", "self.mean = a")},
        ),
        ("g = torch.Generator(device)", {("generator on the CPU", "g = torch.Generator()")}),
        ("a = p.astype(np.float32)", {
            ("NumPy's float64", "a = p"),
            ("NumPy's float64", "a = p.astype(np.float64)"),
            ("another NumPy dtype", "a = p.astype(np.float16)"),
        }),
        ("return g(len(y))", set()),
    ],
)  # fmt: skip
def test_injuries_of_a_line(line, expected):
    assert injured(line) == expected


def test_autocast_is_removed_with_its_line():
    source = "def f():\n    with torch.autocast(kind, dtype=d):\n        a = 1\n        b = 2\n    return a\n"
    found = {one.kind: one for one in made("main.py", source, {})}
    removed, off = found["autocast removed"], found["autocast switched off"]
    assert removed.source == "def f():\n    a = 1\n    b = 2\n    return a\n"
    assert (removed.first, removed.last) == (2, 3)
    assert "torch.autocast(kind, dtype=d, enabled=False):" in off.source
    assert (off.first, off.last) == (2, 2)


@pytest.mark.parametrize("program", programs(), ids=lambda one: one.name)
def test_every_injury_is_a_program_and_has_its_lines(program):
    assert program.machine in ("v100", "a100", "t4")
    for file, source in program.files.items():
        for site in making.sites(file, source, {})[::9]:
            one = site.injury()
            compile(one.source, file, "exec")
            lines = one.source.splitlines()
            assert "\n".join(lines[one.first - 1 : one.last]) == one.injured
            assert lines[: one.first - 1] == source.splitlines()[: one.first - 1]


@pytest.mark.parametrize(
    ("error", "counts"),
    [
        ("RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half", True),
        ("ValueError: Attempting to unscale FP16 gradients.", True),
        ("RuntimeError: expected scalar type Long but found Int", True),
        ("AttributeError: 'int' object has no attribute 'float'", False),
        ("RuntimeError: shape mismatch", False),
        ("", False),
    ],
)
def test_what_counts_as_a_fault_of_dtypes(error, counts):
    assert Outcome(error=error).of_dtypes is counts


def test_as_good():
    one = Outcome(numbers=(1.0, 200.0))
    assert as_good(one, Outcome(numbers=(1.02, 203.0)), 3e-2)
    assert not as_good(one, Outcome(numbers=(1.0, 210.0)), 3e-2)
    assert not as_good(one, Outcome(numbers=(1.0,)), 3e-2)
    assert not as_good(one, Outcome(numbers=(1.0, float("nan"))), 3e-2)
    assert not as_good(one, Outcome(error="RuntimeError: …", numbers=(1.0, 200.0)), 3e-2)


def test_a_real_run_says_what_it_printed_and_what_it_died_of(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["x"])
    monkeypatch.setattr(sys, "path", list(sys.path))
    script = tmp_path / "main.py"
    script.write_text('print("loss 0.25, step 3, nan")\nraise ValueError("no")\n', encoding="utf-8")
    assert run(script) == {"error": "ValueError: no", "numbers": ["0.25", "nan"]}


DEVICES = """
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(2, 3).to(device).half()
x = torch.ones(4, 2, device=device, dtype=torch.float16)
y = torch.tensor([0, 1, 2, 0], device=device)
loss = torch.nn.functional.cross_entropy(net(x), y)
loss.backward()
torch.optim.SGD(net.parameters(), lr=0.1).step()
noise = torch.randn(2, generator=torch.Generator(device), device=device)
print(f"{loss.item():.3f}", (x[torch.tensor([1])] * torch.tensor(2.0)).tolist())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "mixed"),
    [
        ("", "", False),
        ("torch.ones(4, 2, device=device", "torch.ones(4, 2", True),
        (".to(device).half()", ".half()", True),
        ("0], device=device)", "0])", True),
        ("torch.Generator(device)", "torch.Generator()", True),
        ("net(x), y", 'net(x), y.to("cuda:1")', True),
    ],
)
def test_fake_tensors_tell_faults_of_devices(tmp_path, old, new, mixed):
    script = tmp_path / "main.py"
    script.write_text(DEVICES.replace(old, new), encoding="utf-8")
    code = (  # ended at once: else torch aborts now and then, whose thread for the backend's gradients runs still
        "import os, sys; from pathlib import Path; from injury import devices;"
        "print(devices.run(Path(sys.argv[1])), flush=True); os._exit(0)"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(script)], env={**os.environ, "PYTHONPATH": FOLDER},
        capture_output=True, text=True, check=True, timeout=200,
    )  # fmt: skip
    said = ran.stdout.splitlines()[-1]
    assert devices.mixes(said) is mixed, said
    assert bool(said) is mixed


def test_the_same_code_but_for_comments():
    program = Program(name="a", start="main.py", files={"main.py": "a = 1  # one\n"})
    assert fixing.same(program, {"main.py": "a = (1)\n"})
    assert not fixing.same(program, {"main.py": "a = 2\n"})


def test_a_child_that_fails_hangs_or_dies_is_told(tmp_path):
    assert child.call(os.getcwd, tmp_path) == str(tmp_path)
    for fn in (lambda: 1 / 0, lambda: os._exit(3), lambda: __import__("time").sleep(60)):
        with pytest.raises(child.ChildError):
            child.call(fn, tmp_path, patience=2)


INJURY = Injury(
    kind="half loss", about="dtype", file="main.py", first=3, last=4, original="a", injured="b", source="…"
)  # fmt: skip
CASE = Case(
    program="a", machine="v100", kind="half loss", about="dtype", file="main.py", first=3, last=3, original="a",
    injured="b", truth="RuntimeError: …",
)  # fmt: skip


@pytest.mark.parametrize(
    ("told", "named", "helped"),
    [
        (Told(story=("main.py:4",)), True, False),
        (Told(help=("main.py:3",)), True, True),
        (Told(story=("data.py:3",), help=("main.py:5",)), False, False),
    ],
)
def test_naming_the_line(told, named, helped):
    assert (told.names(INJURY), told.helps(INJURY)) == (named, helped)


def test_the_figures_count_what_they_say():
    cases = [
        CASE,
        replace(CASE, found=True),
        replace(CASE, found=True, named=True, helped=True, proven=True, good=True),
    ]
    sounds = [Sound(program="a", machine="cpu"), Sound(program="a", machine="v100", findings=("mm mixes …",))]
    text = table.figures(cases, sounds)
    assert "| all | 3 | 66.6 % | 33.3 % | 33.3 % | 33.3 % | 33.3 % |" in text
    assert "1 findings" in text
    assert "no finding." in table.figures(cases, sounds[:1])
    assert [line.partition(":")[0] for line in table.missed(cases)] == ["not found", "line not named"]
    assert case(json.loads(json.dumps(CASE.data()))) == CASE


@pytest.mark.slow
@pytest.mark.minutes
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the benchmark forks")
def test_faults_of_small_programs_are_found_and_mended(tmp_path):
    script = [sys.executable, "-W", "ignore", str(Path(FOLDER, "faults.py")), "--only", "mlp_mixed,dqn"]
    kept = tmp_path / "cases.jsonl"
    ran = subprocess.run(
        [*script, "--programs", "4", "--seed", "3", "--output", str(kept)], capture_output=True, text=True, timeout=280,
        check=True,
    )  # fmt: skip
    cases = [case(json.loads(line)) for line in kept.read_text(encoding="utf-8").splitlines()]
    assert len(cases) == 4
    assert all(one.truth and one.found and not one.crash for one in cases), cases
    assert sum(one.proven for one in cases) >= 3
    assert "on the CPU: no finding." in ran.stdout
