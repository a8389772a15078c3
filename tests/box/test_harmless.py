"""Nothing of the user's is harmed: a program that does everything, and a folder that is as before afterwards.

The program itself must see what it did, or it would not run as it does for real.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest
from user_folder import everything, grown, left_behind, miscast_in, outside

from miscast.box import start
from miscast.box.job import Job

PROGRAM = Path(__file__).with_name("harmful.py")
COMMANDS = {"check": ["check", "--fixes", "10"], "check on a100": ["check", "--machine", "a100"], "fix": ["fix"]}
BOXES = ["kernel", "python"] if sys.platform == "linux" else ["python"]
REFUSED = {"kernel": [], "python": ["past_python"]}
"""What cannot be turned to a layer there: the program gets an error."""


@pytest.fixture
def home(tmp_path):
    """A folder that earlier runs have filled."""
    folder = tmp_path / "home"
    folder.mkdir()
    grown(folder)
    (folder / "harmful.py").write_bytes(PROGRAM.read_bytes())
    return folder


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("end", ["normally", "_exit"])
@pytest.mark.parametrize("command", COMMANDS)
def test_the_folder_is_as_before(home, box, end, command):
    with outside(home) as arrived:
        before = everything(home)
        done = miscast_in(home, *COMMANDS[command], "harmful.py", end, box=box)
        time.sleep(2.2 if "late.txt" not in os.listdir(home) else 0)  # the child that writes late
        assert everything(home) == before
        assert not arrived
    assert left_behind(home) == []
    assert done.returncode == 1, done.stderr
    assert command != "fix" or "1 fix verified" in done.stdout
    said = done.stdout + done.stderr
    failed = [line for line in said.splitlines() if line.startswith(("│ could not", "could not", "did not"))]
    assert sorted({line.split()[3 if line.startswith("│") else 2].rstrip(":") for line in failed}) == REFUSED[box]
    assert said.count("did ") >= 30


@pytest.mark.parametrize("box", BOXES)
def test_the_report_tells_what_was_kept_in(home, box):
    with outside(home):
        done = miscast_in(home, "check", "--format", "json", "harmful.py", box=box)
    report = json.loads(done.stdout)
    assert [f["message"] for f in report["findings"]] == ["linear mixes float16 `input` with float32 `weight`"]
    effects = report["effects"]
    written = {os.path.relpath(path, home) for path in effects["written"] if path.startswith(str(home))}
    deleted = {os.path.relpath(path, home) for path in effects["deleted"]}
    seen = {
        "new.txt", "log.txt", "metrics.csv", "open.txt", "results.json", "run-old/a.txt", "latest", "target.txt",
        "another-name.txt", "modes.txt", "mapped.bin", "array.bin", "runs.db", "features.npy", "model.pt", "best.pt",
        "model.safetensors", "deep/moved.txt",
    }  # fmt: skip
    by_children = {"by-child.txt", "data-copy/x.txt", "by-shell.txt"}
    if box == "python":  # a folder that was moved is told as one
        seen = {"run-old" if path == "run-old/a.txt" else path for path in seen}
    assert written >= (seen | by_children if box == "kernel" else seen)
    gone = {"ck_1.pt", "checkpoint-1", "run", "moved.txt"}
    assert deleted >= (gone | {"data"} if box == "kernel" else gone)
    assert not any(path.endswith(".pyc") for path in effects["written"])
    if box == "python":
        assert len(effects["started"]) == 4
    assert [one["action"] for one in effects["network"]] == ["POST"]


@pytest.mark.parametrize("box", BOXES)
def test_what_is_kept_can_be_looked_at(home, tmp_path, box):
    with outside(home):
        miscast_in(home, "check", "--keep", tmp_path / "kept", "harmful.py", box=box)
    kept = tmp_path / "kept" / str(home).lstrip("/")
    assert (kept / "new.txt").read_text() == "new"
    assert (kept / "log.txt").read_text() == "log more"


@pytest.mark.parametrize("box", BOXES)
def test_modes_and_attributes_are_told(home, box):
    (home / "attributes.py").write_text(
        "import os\n"
        "os.chmod('checkpoint-1', 0o700)\n"
        "os.setxattr('model.pt', 'user.step', b'3')\n"
        "assert os.getxattr('model.pt', 'user.step') == b'3'\n"
    )
    (home / "model.pt").touch()
    before = everything(home)
    done = miscast_in(home, "check", "--format", "json", "attributes.py", box=box)
    report = json.loads(done.stdout)
    assert report["ended"] is None
    assert {os.path.relpath(path, home) for path in report["effects"]["written"]} == {"checkpoint-1", "model.pt"}
    assert everything(home) == before
    assert os.listxattr(home / "model.pt") == []


OWNERS = {  # of the folders down to the one where the program works, and whether overlays serve there
    "all mine": ([1, 1, 1], True),
    "one of another's above": ([1, 0, 1], False),
    "the last is another's": ([1, 1, 0], False),
}


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners")
@pytest.mark.parametrize("case", OWNERS)
def test_overlays_serve_where_all_folders_that_they_copy_are_mine(tmp_path, monkeypatch, case):
    owners, serve = OWNERS[case]
    folders = [str(tmp_path), str(tmp_path / "a"), str(tmp_path / "a" / "b")]
    os.makedirs(folders[-1])
    real = os.stat

    def stat(path, **options):
        found = real(path, **options)
        owner = owners[folders.index(path)] if path in folders else 1
        return os.stat_result((*found[:4], owner, *found[5:10]))

    monkeypatch.chdir(folders[-1])
    monkeypatch.setenv("HOME", folders[-1])
    monkeypatch.delenv("MISCAST_BOX", raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 1)
    monkeypatch.setattr(os, "stat", stat)
    kinds = list(start.kinds(Job(target="program.py")))
    assert kinds == (["kernel", "python"] if serve and sys.platform == "linux" else ["python"])


def test_writes_real_is_explicit(tmp_path):
    (tmp_path / "program.py").write_text("import torch\nopen('real.txt', 'w').write('real')\n")
    done = miscast_in(tmp_path, "check", "--writes", "real", "program.py")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "real.txt").read_text() == "real"
