"""`miscast fix` as a command: its exit codes, what it writes, and what it leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import command
import miscast
import warm
from miscast.cli import main
from miscast.report.reading import loads

SOURCE = """\
import torch
from torch import nn

net = nn.Linear(4, 4)
x = torch.randn(2, 4)
net(x.half())  # fast
"""
GOVERNED = """\
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--bf16", action="store_true")
args = parser.parse_args()
dtype = torch.bfloat16 if args.bf16 else torch.float32
model = nn.Linear(4, 4).to("cuda", dtype)
image = torch.randn(2, 4, device="cuda")
image = image.to(torch.bfloat16)
model(image)
"""


def _fix(*args, cwd, **streams):
    """Run `miscast fix ARGS`; in a new interpreter where it gets streams of its own."""
    env, words = os.environ | {"PYTHONPATH": command.SOURCE, "COLUMNS": "80"}, ("-m", "miscast", "fix", *args)
    if streams:
        line = [sys.executable, *words]
        return subprocess.run(line, cwd=cwd, env=env, capture_output=True, text=True, check=False, **streams)
    return warm.python(*words, folder=cwd, environment=env, timeout=280)


@pytest.fixture
def program(tmp_path):
    file = tmp_path / "train.py"
    file.write_text(SOURCE)
    return file


def test_a_diff_is_shown_and_nothing_written(program):
    ran = _fix("train.py", cwd=program.parent)
    assert ran.returncode == 1, ran.stderr
    assert "-net(x.half())  # fast\n+net(x)  # fast\n" in ran.stdout
    assert "unsafe: later results are no longer float16" in ran.stdout
    assert "1 fix verified · 1 of them unsafe · 0 findings left" in " ".join(ran.stdout.split())
    assert max(map(len, ran.stdout.splitlines())) <= 80
    assert program.read_text() == SOURCE
    patched = subprocess.run(["patch", "-p1"], input=ran.stdout, text=True, cwd=program.parent, check=False)
    assert patched.returncode == 0
    assert program.read_text() == SOURCE.replace("x.half()", "x")


def test_a_fault_of_a_later_rank_of_a_launcher(tmp_path):
    line = "x = torch.ones(2, 2, device=device) + torch.ones(2, 2).cuda()"
    head = 'import os\nimport torch\n\ndevice = torch.device("cuda", int(os.environ["LOCAL_RANK"]))\n'
    (tmp_path / "train.py").write_text(f"{head}{line}\n")
    ran = _fix("--machine", "2xa100", "torchrun", "--nproc-per-node", "2", "train.py", cwd=tmp_path)
    assert ran.returncode == 1, ran.stderr
    assert f"+{line}.to(device)\n" in ran.stdout


@pytest.mark.slow
def test_a_change_that_fails_under_another_switch_is_told_to_be_replaced(program):
    program.write_text(GOVERNED)
    first, second = (line for line in _fix("train.py", cwd=program.parent).stderr.splitlines() if "train.py:12" in line)
    assert first == "miscast: train.py:12  remove `.to(torch.bfloat16)` at train.py:11"
    assert second == "miscast: train.py:12  instead: replace `torch.bfloat16` with `dtype` at train.py:11"


def test_it_works_where_stdout_is_closed(program):
    ran = _fix("--apply", "train.py", cwd=program.parent, preexec_fn=lambda: os.close(1))
    assert (ran.returncode, "AttributeError" in ran.stderr) == (0, False), ran.stderr
    assert program.read_text() == SOURCE.replace("x.half()", "x")


def test_apply_writes_and_then_there_is_nothing_to_fix(program):
    ran = _fix("--apply", "train.py", cwd=program.parent)
    assert ran.returncode == 0, ran.stderr
    assert program.read_text() == SOURCE.replace("x.half()", "x")
    again = _fix("--apply", "train.py", cwd=program.parent)
    assert (again.returncode, again.stdout) == (0, "nothing to fix\n")


def test_json_carries_the_proven_fix(program):
    ran = _fix("--format", "json", "train.py", cwd=program.parent)
    data = json.loads(ran.stdout)
    (finding,) = data["findings"]
    (fix,) = finding["fixes"]
    assert fix["verified"] is True
    assert fix["edits"] == [{"file": "train.py", "start_line": 6, "end_line": 6, "replacement": "net(x)  # fast"}]
    assert data["mending"]["left"] == []
    assert data["mending"]["diff"].startswith("--- a/train.py\n+++ b/train.py\n")
    assert loads(ran.stdout).findings[0].fixes[0].verified


def test_edits_name_files_below_the_working_directory_relatively(tmp_path):
    (tmp_path / "noise.py").write_text('import torch\n\n\ndef noise():\n    return torch.ones(2, 4, device="cuda")\n')
    (tmp_path / "train.py").write_text(
        "from noise import noise\nfrom torch import nn\n\nnn.Linear(4, 4).cuda().half()(noise())\n"
    )
    ran = _fix("--format", "json", "train.py", cwd=tmp_path)
    data = json.loads(ran.stdout)
    fixes = [*data["findings"][0]["fixes"], *data["mending"]["fixed"]]
    assert {edit["file"] for fix in fixes for edit in fix["edits"]} <= {"noise.py", "train.py"}


@pytest.mark.slow
def test_a_module_and_a_function_of_a_package(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    body = SOURCE.partition("net = ")
    inner = "".join(f"    {line}\n" for line in (body[1] + body[2]).splitlines())
    (package / "train.py").write_text(f"{body[0]}\ndef run():\n{inner}")
    (package / "__main__.py").write_text("from .train import run\n\nrun()\n")
    for target in (["-m", "package"], ["package.train:run"]):
        ran = _fix(*target, cwd=tmp_path)
        assert ran.returncode == 1, ran.stderr
        assert "--- a/package/train.py\n" in ran.stdout
        assert "+    net(x)  # fast\n" in ran.stdout


def test_as_all_ranks(tmp_path):
    (tmp_path / "train.py").write_text(
        "import os, torch\n"
        "import torch.distributed as dist\n"
        "dist.init_process_group()\n"
        "torch.cuda.set_device(dist.get_rank())\n"
        "x = torch.ones(2, 4, device='cuda')\n"
        "if dist.get_rank():\n"
        "    x = x.half()  # fast\n"
        "torch.nn.Linear(4, 4).cuda()(x)\n"
    )
    ran = _fix("--ranks", "2", "train.py", cwd=tmp_path)
    assert "+    pass" in ran.stdout, ran.stderr
    assert "0 findings left" in " ".join(ran.stdout.split())


@pytest.mark.parametrize(("answer", "code", "wanted"), [("y", 0, "net(x)"), ("n", 1, "net(x.half())")])
def test_interactive_asks_and_writes_what_is_wanted(program, answer, code, wanted):
    pty = pytest.importorskip("pty")
    asker, terminal = pty.openpty()
    os.write(asker, answer.encode() + b"\n")
    ran = _fix("--interactive", "train.py", cwd=program.parent, stdin=terminal)
    os.close(asker)
    os.close(terminal)
    assert ran.returncode == code, ran.stderr
    assert "write this fix? [y/n]" in ran.stderr
    assert program.read_text().splitlines()[-1] == f"{wanted}  # fast"


REFUSED = {
    "no target": ([], "no program given"),
    "no such file": (["nothing.py"], "nothing.py: no such file"),
    "a machine that nobody knows": (["--machine", "nothing", "x.py"], "nothing"),
    "nobody to ask": (["--interactive", "x.py"], "--interactive needs a terminal"),
    "a folder as output": (["--output", ".", "x.py"], "cannot write the diff to ."),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_done_is_one_line(case, capfd, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    arguments, text = REFUSED[case]
    assert main(["fix", *arguments]) == 2
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert text in err


def _below(pid):
    """The processes of a session that a process started, by /proc."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if f"MISCAST_TEST={pid}".encode() in environment and fields[0] != "Z":
                found.append(int(entry.name))
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="asks /proc")
@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupt_leaves_no_process_behind(tmp_path, with_signal):
    program = tmp_path / "long.py"
    program.write_text("import ctypes, time\nctypes.CDLL(None).prctl(15, b'begun')\ntime.sleep(600)\n")  # PR_SET_NAME
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    mark = f"{os.getpid()}-{with_signal}"
    source = str(Path(miscast.__file__).parents[1])
    env = os.environ | {"PYTHONPATH": source, "MISCAST_TEST": mark, "TMPDIR": str(temporary)}
    code = (  # a shell's background job ignores Ctrl-C's signal, and so would this
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import sys; from miscast.cli import main; sys.exit(main(['fix', 'long.py']))"
    )
    ran = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 200
    while "begun" not in map(_name, _below(mark)):
        assert time.monotonic() < end
        time.sleep(0.1)
    assert len(_below(mark)) >= 3, "a process that asks, one that forks, and the program"
    ran.send_signal(with_signal)
    _, err = ran.communicate(timeout=60)
    assert with_signal == signal.SIGKILL or (ran.returncode, err) == (128 + with_signal, "miscast: interrupted\n")
    while _below(mark) and time.monotonic() < end:
        time.sleep(0.1)
    assert _below(mark) == []
    assert list(temporary.iterdir()) == []


def _name(process):
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


def test_the_process_that_asks_needs_no_torch():
    code = "import sys; sys.modules['torch'] = None; import miscast.fixing.fixes, miscast.commands.fix"
    env = os.environ | {"PYTHONPATH": str(Path(miscast.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", code], env=env, check=True, timeout=60)
