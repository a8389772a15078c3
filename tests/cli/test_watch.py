"""`check --watch`: answers again whenever a file that the program read changes, as a fresh check would."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command import SOURCE, miscast_in
from miscast.commands import watching
from miscast.fixing.trials.remembered import Remembered

GOOD = """\
import torch

import helper

net = torch.nn.Linear(4, 4).half().cuda()
print(net(helper.batch()).dtype)
"""
HELPER = """\
import torch


def batch():
    return torch.ones(2, 4, device="cuda", dtype=torch.float16)
"""


class Watch:
    """A watch of train.py in a folder; its answers are told from its lines on stderr."""

    def __init__(self, folder, *options):
        self.folder, self.lines = folder, []
        command = [sys.executable, "-m", "miscast", "check", "--watch", "--machine", "v100", *options, "train.py"]
        path = f"{SOURCE}:{folder}:{folder}/packages"
        self.report = open(folder / "out.txt", "w+", encoding="utf-8")  # noqa: SIM115 - until the watch ends
        self.process = subprocess.Popen(
            command, cwd=folder, env=os.environ | {"PYTHONPATH": path, "TMPDIR": str(folder)},
            stdin=subprocess.DEVNULL, stdout=self.report, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def answer(self):
        """What is printed until the watch waits for a change."""
        begin = self.report.tell()
        errors = []
        for line in self.process.stderr:
            errors.append(line)
            if " watching " in line:
                break
        self.report.seek(begin)
        return self.report.read() + "".join(errors)

    def write(self, name, text):
        """A change, as an editor makes it: another file in its place."""
        (self.folder / f"{name}~").write_text(text, encoding="utf-8")
        (self.folder / f"{name}~").replace(self.folder / name)

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=30)


@pytest.fixture
def watch(tmp_path):
    begun = []

    def begin(text, *options):
        (tmp_path / "train.py").write_text(text, encoding="utf-8")
        begun.append(Watch(tmp_path, *options))
        return begun[-1]

    yield begin
    for one in begun:
        one.process.kill()
        one.process.wait()
        one.process.stderr.close()
        one.report.close()


def test_each_change_is_answered(watch):
    """One story, since each start takes as long as importing torch."""
    one = watch(GOOD, "--fixes", "60")
    assert "No module named 'helper'" in one.answer()
    one.write("helper.py", HELPER)
    assert "nothing found" in one.answer()
    one.write("helper.py", HELPER.replace(", dtype=torch.float16", ""))
    found = one.answer()
    assert "linear mixes float32 `input` with float16 `weight`" in found
    assert "(verified)" in found
    fresh = miscast_in(one.folder, "check", "--machine", "v100", "--fixes", "60", "train.py")
    assert fresh.stdout in found
    one.write("train.py", f"{GOOD}print(\n")
    assert [line.partition("] ")[2] or line for line in one.answer().splitlines()] == [
        "checking train.py",
        "miscast: train.py:7: '(' was never closed",
        "watching 2 files; Ctrl-C to stop",
    ]
    # libraries look at the environment as they are imported: the program's own import has to come after this
    one.write("train.py", "import os, time\nos.environ['ANY'] = '1'\nimport torch\n")
    assert "restarting" in one.answer()
    one.write("train.py", "import time\nprint('begun', flush=True)\ntime.sleep(60)\n")
    while "begun" not in (one.folder / "out.txt").read_text():
        time.sleep(0.05)
    assert one.interrupt() == 130
    assert not list(one.folder.glob("miscast-*"))


def test_an_interrupt_between_checks_is_no_failure(watch, tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('none')", encoding="utf-8")
    one = watch("import torch")
    assert "torch, which is needed to run a program" in one.answer()
    assert one.interrupt() == 0
    assert not list(tmp_path.glob("miscast-*"))


LIBRARY = """\
import torch

SIZES = torch.arange(4) + 1


def layer():
    return torch.nn.Linear(4, 4).half().cuda()
"""
OF_LIBRARY = """\
import a_library
import torch

net = a_library.layer()
bias = torch.ones(4).cuda()
print(net(bias), net(bias.half() + 1))
"""


def test_a_signal_that_an_import_swallows_ends_it_all_the_same():
    class Idle:
        at_work = 0

        def heat(self):
            with contextlib.suppress(BaseException):
                watched.signalled(signal.SIGTERM, None)

    watched = watching._Watch(argparse.Namespace(target="x.py"), lambda: 0, Idle())
    with pytest.raises(watching._EndedError):
        watched._await_change()


def test_an_answer_with_imported_libraries_is_that_of_a_fresh_check(watch, tmp_path):
    """The library calls ops when it is imported, which a fork of the warm process does not see."""
    packages = tmp_path / "packages"
    (packages / "a_library-1.dist-info").mkdir(parents=True)
    (packages / "a_library.py").write_text(LIBRARY, encoding="utf-8")
    one = watch(OF_LIBRARY, "--fixes", "60", "--format", "json", "--output", "report.json")
    one.answer()
    text = OF_LIBRARY
    for change in (("import torch", "import torch  # 2"), ("ones(4)", "ones(4, dtype=torch.float16)")):
        text = text.replace(*change)
        one.write("train.py", text)
        one.answer()
        words = ("--machine", "v100", "--fixes", "60", "--format", "json", "--output", "fresh.json", "train.py")
        miscast_in(tmp_path, "check", *words, cold=True, PYTHONPATH=f"{SOURCE}:{packages}")
        assert (tmp_path / "report.json").read_text() == (tmp_path / "fresh.json").read_text()


@pytest.fixture
def known(tmp_path):
    """Answers with one that a run has given which read train.py, as it was changed, and run.yaml."""
    (tmp_path / "answers").mkdir()
    (tmp_path / "train.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "run.yaml").write_text("lr: 1\n", encoding="utf-8")
    answers = Remembered(str(tmp_path / "answers"))
    sent = answers.asked(asking(tmp_path, "x = 2\n"))
    Path(sent["read"]).write_text(f"{tmp_path}/run.yaml\n", encoding="utf-8")
    answers.keep([{"id": 1, "report": "clean"}])
    return answers


def asking(folder, text, **more):
    return {"id": 1, "files": {str(folder / "train.py"): text}, "written": {}, "until": None, **more}


def test_a_trial_is_known_again_by_what_it_reads(known, tmp_path):
    assert known.answer(asking(tmp_path, "x = 2  # why\n", id=7, limit=9)) == {"id": 7, "report": "clean"}
    (tmp_path / "train.py").write_text("x = 2\n", encoding="utf-8")
    assert known.answer(asking(tmp_path, "", id=8) | {"files": {}}) == {"id": 8, "report": "clean"}


@pytest.mark.parametrize(
    ("text", "more", "written"),
    [
        ("x = 3\n", {}, ""),
        ("\nx = 2\n", {}, ""),  # findings would be at another line
        ("x = 2\n", {"until": 5}, ""),
        ("x = 2\n", {}, "run.yaml"),
        ("x = 2\n", {}, "helper.py"),  # which an import could find now
    ],
)
def test_a_trial_that_would_read_something_else_is_run(known, tmp_path, text, more, written):
    if written:
        (tmp_path / written).write_text("lr: 2\n", encoding="utf-8")
    assert known.answer(asking(tmp_path, text, **more)) is None


def test_a_trial_ends_where_it_did_or_is_run_again(known, tmp_path):
    def met(*expected):
        return asking(tmp_path, "x = 5\n", expected=expected)

    linear, conv = ("linear", "dtype", "train.py", 3), ("conv2d", "dtype", "train.py", 9)
    sent = known.asked(met((*linear, 3), (*conv, 9), ("add", "dtype", "train.py", 1, 1)))
    Path(sent["read"]).touch()
    known.keep([{"id": 1, "report": "both", "met": [linear, conv]}])
    assert known.answer(met((*linear, 3), (*conv, 9)))["report"] == "both"
    assert known.answer(met((*linear, 3))) is None  # the call of conv2d would end it
    sent = known.asked(met((*linear, 3)))
    Path(sent["read"]).touch()
    known.keep([{"id": 1, "report": "conv2d", "stopped": True, "met": [linear, conv]}])
    assert known.answer(met((*linear, 4)))["report"] == "conv2d"
    assert known.answer(met((*linear, 3), (*conv, 9)))["report"] == "both"
    assert known.answer(met((*conv, 9))) is None  # that of linear would


def test_a_trial_that_came_to_nothing_is_run_again(known, tmp_path):
    request = asking(tmp_path, "x = 4\n")
    known.asked(request)
    known.keep([{"id": 1, "failed": "ended"}])
    assert known.answer(request) is None


def test_a_trial_beside_which_a_file_was_written_is_run_again(known, tmp_path):
    request = asking(tmp_path, "x = 4\n")
    Path(known.asked(request)["read"]).write_text(f"{tmp_path}/run.yaml\n", encoding="utf-8")
    time.sleep(0.02)  # as exact as a file's time is
    (tmp_path / "run.yaml").write_text("lr: 3\n", encoding="utf-8")
    known.keep([{"id": 1, "report": "of what it was"}])
    assert known.answer(request) is None


READ = """import os, sys
from miscast.running.program.files_read import names, noted, variables
with open(sys.argv[1], "ab") as file:
    noted(file.fileno())
    os.environ.setdefault("HF_HOME", "/")
    os.listdir(".")
    try:
        import none
    except ImportError:
        pass
    try:
        open("none.yaml")
    except OSError:
        pass
print([os.path.basename(one) for one in sorted(names(sys.argv[1]))], sorted(variables(sys.argv[1])))
"""


def test_what_a_program_reads_and_sets(tmp_path):
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    environment.pop("HF_HOME", None)
    command = [sys.executable, "-c", READ, tmp_path / "told"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"[{tmp_path.name!r}, 'none.yaml'] ['HF_HOME']", done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--fix"], "--fix cannot be used with --watch"),
        (["--ranks", "2"], "--ranks cannot be used with --watch"),
        (["--writes", "real"], "--writes cannot be used with --watch"),
        (["--format", "json"], "--watch with --format json needs --output"),
    ],
)
def test_what_cannot_be_watched_is_refused(tmp_path, words, why):
    (tmp_path / "train.py").write_text("", encoding="utf-8")
    done = miscast_in(tmp_path, "check", "--watch", "--fixes", "0", *words, "train.py")
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr
