"""Whatever ends a run, the report comes: what was found, one line on what ended it and where, nothing left behind."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
import zipfile

import pytest
from user_folder import left_behind, miscast_in

from command import SOURCE, STAND_INS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")

BOXES = ["kernel", "python"] if sys.platform == "linux" else ["python"]
MISTAKE = """\
import os, sys, time, signal, threading, ctypes
import torch
print("begun", flush=True)
torch.nn.Linear(4, 2)(torch.ones(2, 4).half())
"""
LINE = MISTAKE.count("\n") + 1
ENDS = {
    "an exception": ("raise KeyError('x')", "the program raised KeyError: 'x' at program.py:{line}"),
    "sys.exit": ("sys.exit(4)", "the program exited with 4 at program.py:{line}"),
    "os._exit": ("os._exit(3)", "the program exited with 3 (os._exit) at program.py:{line}"),
    "os._exit of a thread": (
        "threading.Thread(target=lambda: os._exit(3)).start(); time.sleep(60)",
        "the program exited with 3 (os._exit) at program.py:{line}",
    ),
    "a segmentation fault": (
        "ctypes.string_at(0)",
        "the program's process was killed by SIGSEGV (segmentation fault) at program.py:{line}",
    ),
    "abort": ("os.abort()", "the program's process was killed by SIGABRT (abort) at program.py:{line}"),
    "its own kill -9": ("os.kill(os.getpid(), 9)", "the program killed itself at program.py:{line}"),
    "the killer": (
        "os.system(f'kill -9 {os.getpid()}'); time.sleep(60)",
        (
            "the program's process was killed by SIGKILL "
            "(out of memory, or over a CPU time limit)"
        ),
    ),
    "its group's kill -9": ("os.killpg(0, 9)", "the program killed itself at program.py:{line}"),
    "its limit of processor time": (
        "import resource as r; r.setrlimit(r.RLIMIT_CPU, (int(time.process_time()) + 1, 60))\nwhile True: pass",
        "the program's process was killed by SIGXCPU (over a CPU time limit)",
    ),
    "a missing file": (
        "open('missing.txt')",
        "the program raised FileNotFoundError: [Errno 2] No such file or directory: 'missing.txt' at program.py:{line}",
    ),
    "a missing folder": (
        "os.listdir('missing')",
        "the program raised FileNotFoundError: [Errno 2] No such file or directory: 'missing' at program.py:{line}",
    ),
    "too many files": (
        "many = [open('program.py') for _ in iter(int, 1)]",
        "the program raised OSError: [Errno 24] Too many open files: 'program.py' at program.py:{line}",
    ),
    "its output closed": (
        "os.close(1); print('x', flush=True)",
        "the program raised OSError: [Errno 9] Bad file descriptor at program.py:{line}",
    ),
    "all files closed": ("os.closerange(3, 256); sys.exit(4)", "the program exited with 4 at program.py:{line}"),
    "its folder deleted": (
        "__import__('shutil').rmtree(os.getcwd()); sys.exit(4)",
        "the program exited with 4 at program.py:{line}",
    ),
    "a signal to nobody": (
        "os.kill(99999999, 9)",
        "the program raised ProcessLookupError: [Errno 3] No such process at program.py:{line}",
    ),
    "C's exit": ("ctypes.CDLL(None)._exit(5)", "the program's process exited with 5, bypassing Python"),
}


def written(folder, last):
    folder.mkdir(exist_ok=True)
    (folder / "program.py").write_text(f"{MISTAKE}{last}\n")
    return folder


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("end", ENDS)
def test_the_report_comes(tmp_path, end, box):
    last, told = ENDS[end]
    if (end, box) == ("the killer", "python"):
        pytest.skip("the command that kills is not started there")
    home = written(tmp_path / "home", last)
    done = miscast_in(home, "check", "--format", "json", "program.py", box=box)
    report = json.loads(done.stdout)
    assert "failed" not in done.stderr
    assert [f["location"]["line"] for f in report["findings"]] == [LINE - 1]
    assert report["ended"].replace(f"{home}/", "") == told.format(line=LINE)
    assert done.returncode == 1
    assert left_behind(home) == []


@pytest.mark.parametrize("box", BOXES)
def test_a_mistake_is_told_where_the_programs_folder_is_gone(tmp_path, box):
    home = written(tmp_path / "home", "")
    (home / "program.py").write_text(f"import shutil, os\nshutil.rmtree(os.getcwd())\n{MISTAKE}")
    done = miscast_in(home, "check", "--format", "json", "program.py", box=box)
    report = json.loads(done.stdout)
    assert [f["location"]["line"] for f in report["findings"]] == [LINE + 1]
    assert (report["ended"], done.returncode) == (None, 1)


@pytest.mark.parametrize("box", BOXES)
def test_a_signal_to_its_process_group_reaches_nobody_outside(tmp_path, box):
    home = written(tmp_path / "home", "os.system('kill -TERM 0'); os.killpg(0, signal.SIGTERM); time.sleep(60)")
    args = [sys.executable, "-m", "miscast", "check", "--fixes", "0", "--time-limit", "8", "program.py"]
    env = os.environ | {"PYTHONPATH": SOURCE, "MISCAST_BOX": box}
    done = subprocess.run(
        ["sh", "-c", '"$@"; echo after', "sh", *args], cwd=home, env=env, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False, start_new_session=True,
    )  # fmt: skip
    assert "1 error" in done.stdout
    assert done.stdout.endswith("after\n")


@pytest.mark.parametrize("box", BOXES)
def test_locks_and_pools_of_processes(tmp_path, box):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "program.py").write_text(
        "import multiprocessing, torch\n"
        "def write(name):\n    open(name, 'w').write(name)\n    return name\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "        print(pool.map(write, ['a.txt', 'b.txt']), open('b.txt').read())\n"
    )
    done = miscast_in(tmp_path / "home", "check", "--time-limit", "30", "program.py", box=box)
    assert "['a.txt', 'b.txt'] b.txt" in done.stdout
    assert "wrote a.txt, b.txt" in done.stdout
    assert os.listdir(tmp_path / "home") == ["program.py"]
    assert done.returncode == 0


@pytest.mark.parametrize("box", BOXES)
def test_a_program_in_an_archive(tmp_path, box):
    (tmp_path / "home").mkdir()
    with zipfile.ZipFile(tmp_path / "home" / "program.pyz", "w") as archive:
        archive.writestr("__main__.py", MISTAKE)
    done = miscast_in(tmp_path / "home", "check", "program.pyz", box=box)
    assert "1 error" in done.stdout
    assert done.returncode == 1


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(tmp_path, closed):
    home = written(tmp_path / "home", "")
    check = [sys.executable, "-m", "miscast", "check", "--fixes", "0", "program.py"]
    command = ["sh", "-c", f'"$@" {closed}', "sh", *check]
    done = subprocess.run(
        command, cwd=home, env=os.environ | {"PYTHONPATH": SOURCE}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr in ("", STAND_INS)
    assert ("1 error" in done.stdout) == (" >&-" not in f" {closed}")


def test_without_a_finding_it_is_refused(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "program.py").write_text("import ctypes\nctypes.string_at(0)\n")
    done = miscast_in(tmp_path / "home", "check", "program.py")
    assert done.returncode == 2
    assert "not finished: the program's process was killed by SIGSEGV" in done.stderr


def test_a_time_limit(tmp_path):
    home = written(tmp_path / "home", "while True: time.sleep(0.01)")
    done = miscast_in(home, "check", "--time-limit", "6", "program.py")
    assert f"time limit of 6 s reached at program.py:{LINE}" in " ".join(done.stdout.split())
    assert done.returncode == 1


def test_a_program_that_will_not_end(tmp_path):
    home = written(tmp_path / "home", "signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass")
    done = miscast_in(home, "check", "--time-limit", "6", "program.py")
    assert f"time limit of 6 s reached at program.py:{LINE + 1}" in " ".join(done.stdout.split())
    assert done.returncode == 1


UNTAKEN = "if os.environ.get('NOT_SET'):\n    torch.ones(2).half()\n"


def begun(home, *args):
    """A check whose program has printed "there"."""
    env = os.environ | {"PYTHONPATH": SOURCE, "TMPDIR": str(home.parent / "temporary")}
    (home.parent / "temporary").mkdir()
    command = [sys.executable, "-m", "miscast", "check", *args, "program.py"]
    check = subprocess.Popen(command, cwd=home, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert [check.stdout.readline() for _ in range(3)] == [STAND_INS, "begun\n", "there\n"]
    return check


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal(tmp_path, number):
    """Nothing is tried and no branch is forced then: the report comes, and the exit code is a shell's."""
    home = written(tmp_path / "home", f"{UNTAKEN}print('there', flush=True); time.sleep(600)")
    check = begun(home, "--verbose")
    check.send_signal(number)
    said, _ = check.communicate(timeout=60)
    name = "interrupted (Ctrl-C)" if number == signal.SIGINT else f"stopped by {number.name}"
    assert f"{name} at program.py:{LINE + 2}" in " ".join(said.split())
    assert "linear mixes float16 `input`" in said
    assert "verified" not in said
    assert "os.environ.get('NOT_SET'); not explored: interrupted" in said
    assert check.returncode == 128 + number


TRYING = """\
import sys, time
from miscast.cli import main
from miscast.fixing.fixes import advice

def mended_after(trials, first, listener, **_):
    print("trying", flush=True)
    while True:
        listener.tick()
        time.sleep(0.1)

advice.mended_after = mended_after
sys.exit(main(["check", "program.py"]))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_fixes_are_tried(tmp_path, number):
    home = written(tmp_path / "home", "")
    command, env = [sys.executable, "-c", TRYING], os.environ | {"PYTHONPATH": SOURCE}
    check = subprocess.Popen(command, cwd=home, env=env, stdout=subprocess.PIPE, text=True)
    assert [check.stdout.readline() for _ in range(2)] == ["begun\n", "trying\n"]
    check.send_signal(number)
    said, _ = check.communicate(timeout=60)
    assert "linear mixes float16 `input`" in said
    assert check.returncode == 128 + number


@pytest.mark.parametrize("box", ["kernel", "python"])
def test_kill_9_of_the_check(tmp_path, monkeypatch, box):
    monkeypatch.setenv("MISCAST_BOX", box)
    home = written(tmp_path / "home", "open('late.txt', 'w').write('x'); print('there', flush=True); time.sleep(600)")
    output = home / "report.json"
    check = begun(home, "--output", str(output), "--format", "json")
    within(60, lambda: output.exists() and len(json.loads(output.read_text())["findings"]) == 1)
    check.kill()
    check.communicate()
    assert json.loads(output.read_text())["ended"] == "the check is still running"
    within(60, lambda: not running(str(output)))
    assert sorted(os.listdir(home)) == ["program.py", "report.json"]
    assert left_behind(home) == []


def running(argument):
    """The commands of processes with this argument, which forks of theirs have too."""
    lines = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in lines if argument in line]


def within(seconds, condition):
    """Wait until it holds; a machine under load takes its time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_the_ranks_of_a_killed_world(tmp_path):
    home = written(tmp_path / "home", "while True: time.sleep(0.01)")
    done = miscast_in(home, "check", "--time-limit", "8", "--ranks", "2", "--format", "json", "program.py")
    report = json.loads(done.stdout)
    assert [f["ranks"] for f in report["findings"]] == [[0, 1]]
    assert report["ended"] == "time limit of 8 s reached"


def test_on_a_terminal_the_program_is_marked(tmp_path):
    home = written(tmp_path / "home", "print('epoch 1\\nepoch 2', end='')\n")
    ours, theirs = pty.openpty()
    env = os.environ | {"PYTHONPATH": SOURCE, "COLUMNS": "80"}
    command = [sys.executable, "-m", "miscast", "check", "--fixes", "0", "program.py"]
    with subprocess.Popen(command, cwd=home, env=env, stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        said = b""
        while select.select([ours], [], [], 60)[0]:
            try:
                said += os.read(ours, 1 << 16)
            except OSError:
                break
    os.close(ours)
    bar = b"\x1b[2m\xe2\x94\x82\x1b[0m "
    assert bar + b"begun" in said
    assert bar + b"epoch 1\r\n" + bar + b"epoch 2\r\n" in said
    assert bar + b"error" not in said


def test_a_quiet_program(tmp_path):
    home = written(tmp_path / "home", "print('loud')")
    done = miscast_in(home, "check", "--quiet-program", "program.py")
    assert "begun" not in done.stdout
    assert "loud" not in done.stdout
    assert "1 error" in done.stdout
