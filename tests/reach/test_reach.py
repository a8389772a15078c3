"""What a run left is told with what kept it out; what can be forced is run in a fork, and judged as anything else."""

from __future__ import annotations

import ast
import json
import sys
import textwrap

import pytest

from command import miscast_in
from miscast.cli import main
from miscast.reach.branches import told_apart
from miscast.reach.words import kind_of

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="a frame's place is found by its bytecode")

HEAD = """
    import torch

    class Args:
        every, first, extra, fp16 = 50, True, False, False

    args = Args()
    half = torch.nn.Linear(4, 4).cuda().half()

    def work():
        return half(torch.ones(2, 4, device="cuda"))
"""
FAULT = ["error"]
CASES = {
    "every so many steps": ("for step in range(1, 3):\n    if step % args.every == 0:\n        work()", 1, True),
    "at an epoch's end": ("for step in range(3):\n    if step == 7:\n        work()", 1, True),
    "what follows a return": (
        "def f(step):\n    if step < 9:\n        return\n    work()\nf(1)", 1, True
    ),
    "a stand-in decided": (
        "best = 0.0\nloss = torch.ones(3, device='cuda').mean()\nif loss < best:\n    work()", 1, True
    ),
    "a setting that decides this alone": ("if args.extra:\n    work()", 1, True),
    "else": ("if args.first:\n    pass\nelse:\n    work()", 1, True),
    "a while that never began": ("count = 5\nwhile count < 3:\n    work()\n    count += 1", 1, True),
    "within what was forced": (
        "for step in range(1, 3):\n    if step % args.every == 0:\n        if step > 10:\n            work()", 1, True
    ),
    "a setting that decides more": ("size = 8 if args.extra else 4\nif args.extra:\n    work()", 0, False),
    "a setting of precision": ("if args.fp16:\n    work()", 0, False),
    "what is not there": ("model = None\nif model is not None:\n    work()", 0, None),
    "an error of the program's own": ("model = None\nif args.extra:\n    model(1)\n    work()", 0, False),
    "what is reached by itself": ("for step in range(1, 3):\n    if step == 2:\n        work()", 1, None),
    "an error that ends it": ("if args.extra:\n    raise ValueError('no')", 0, None),
    "a word to a person": ("if args.extra:\n    print('hello')", 0, None),
}  # fmt: skip


def checked(folder, code, *options):
    script = folder / "train.py"
    script.write_text(textwrap.dedent(HEAD) + code + "\n")
    done = miscast_in(folder, "check", "--machine", "v100", "--format", "json", *options, script.name)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", CASES)
def test_what_a_run_left(tmp_path, name):
    code, errors, forced = CASES[name]
    report = checked(tmp_path, code, "--reach", "2")
    assert [one["severity"] for one in report["findings"]] == FAULT * errors
    assert report["ended"] is None
    blocks = report.get("reach", [])
    assert {one["forced"] and one["ended"] is None for one in blocks} == ({forced} if forced is not None else set())
    marked = [place["label"] for one in report["findings"] for place in one["related"] if "forced" in place["label"]]
    assert marked == ["on a path forced at"] * (errors if forced else 0)


def test_off_nothing_is_told_or_run(tmp_path):
    report = checked(tmp_path, CASES["every so many steps"][0])
    assert report["findings"] == []
    assert "reach" not in report


def test_a_block_is_told_with_its_condition_and_values(tmp_path):
    (block,) = checked(tmp_path, CASES["every so many steps"][0], "--reach", "2")["reach"]
    assert (block["condition"], block["values"]) == (
        "step % args.every == 0", {"step": ["1", "2"], "args.every": ["50"]},
    )  # fmt: skip
    assert (block["does"], block["kind"], block["last"] - block["line"]) == (["work"], "counter", 1)


def test_the_text_says_what_was_forced_and_what_was_not_run(tmp_path):
    script = tmp_path / "train.py"
    code = CASES["every so many steps"][0] + "\nif args.fp16:\n    work()\n"
    script.write_text(textwrap.dedent(HEAD) + code)
    done = miscast_in(tmp_path, "check", "--machine", "v100", "--reach", "2", script.name)
    told = " ".join(done.stdout.split())
    assert "on a path forced at train.py:13" in told
    assert "forced train.py:14 (work): step % args.every == 0, step was 1, 2, args.every was 50" in told
    assert "not run train.py:16 (work): args.fp16, args.fp16 was False" in told


def test_what_a_fork_prints_and_does_to_the_run_is_not_seen(tmp_path):
    loop = "for step in range(1, 3):\n    if step % args.every == 0:\n"
    code = f"seen = []\n{loop}        seen.append(work())\n        print('forced')\nprint(len(seen))"
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(HEAD) + code)
    done = miscast_in(tmp_path, "check", "--machine", "v100", "--reach", "2", script.name)
    printed = (done.stdout + done.stderr).splitlines()
    assert "forced" not in printed
    assert "0" in printed


@pytest.mark.parametrize(
    ("test", "kind"),
    [
        ("step % n == 0", "counter"), ("epoch + 1 == epochs", "counter"), ("loss < best", "value"), ("use_ema", "flag"),
        ("mode == 'fp16'", "precision"), ("args.offload", "precision"), ("x is None", "guard"), ("rank == 0", "guard"),
        ("isinstance(x, int)", "guard"), ("torch.cuda.is_available()", "guard"), ("kind == 'v'", "flag"),
    ],
)  # fmt: skip
def test_what_a_condition_hangs_on(test, kind):
    assert kind_of(ast.parse(test, mode="eval").body) == kind


def test_every_node_stays_where_it_is():
    source = "if a and f(b):\n    g(c)\nelif d:\n    h()\nwhile e:\n    k(x if y else z)\n"
    tree = ast.parse(source)
    branches = told_apart(tree, "train.py", 3)
    assert [(one.text, one.line, one.kind) for one in branches] == [
        ("d", 3, "flag"), ("a and f(b)", 1, "flag"), ("e", 5, "flag"),
    ]  # fmt: skip
    names = {(node.id, node.lineno, node.col_offset) for node in ast.walk(tree) if isinstance(node, ast.Name)}
    before = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)]
    original = {(node.id, node.lineno, node.col_offset) for node in before}
    assert {one for one in names if not one[0].startswith("__miscast")} == original
    compile(tree, "train.py", "exec")


def test_a_block_may_import_more_of_the_programs_own(tmp_path):
    (tmp_path / "more.py").write_text("def f(work, fp16):\n    work()\n    if fp16:\n        work()\n")
    code = "for step in range(1, 3):\n    if step % args.every == 0:\n        import more\n        more.f(work, False)"
    report = checked(tmp_path, code, "--reach", "2")
    assert report["failed"] is None
    assert len(report["findings"]) == 1
    assert [(one["line"], one["forced"]) for one in report["reach"]] == [(13, True)]


def test_a_child_of_the_program_keeps_no_fork_waiting(tmp_path):
    code = """
import os, time
for step in range(1, 3):
    if step % 2 == 0:
        work()
    if step == 1 and os.fork() == 0:
        time.sleep(60)
        os._exit(0)
"""
    report = checked(tmp_path, code, "--reach", "2", "--time-limit", "30")
    assert "time" not in (report["ended"] or "")
    assert len(report["findings"]) == 1


@pytest.mark.parametrize(
    ("told", "said"),
    [(["--ranks", "2", "program.py"], "--ranks"), (["program.ipynb"], "notebooks")],
)
def test_what_cannot_be_told_is_refused(told, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / told[-1]).write_text("", encoding="utf-8")
    assert main(["check", "--machine", "v100", "--reach", "2", *told]) == 2
    assert said in capsys.readouterr().err
