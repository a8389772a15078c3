"""Nothing of a matrix is left that was killed without a word."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from command import SOURCE

PROC = Path("/proc")

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not PROC.is_dir(), reason="processes are looked up in /proc")]


def _with(mark, word=""):
    """The processes that have a mark in their environment, and a word in their command."""
    found = []
    for one in PROC.iterdir():
        if one.name.isdigit():
            try:
                said = (one / "cmdline").read_bytes()
                if mark.encode() in (one / "environ").read_bytes() and word.encode() in said:
                    found.append(int(one.name))
            except OSError:
                pass
    return found


def _until(holds):
    end = time.monotonic() + 120
    while not holds() and time.monotonic() < end:
        time.sleep(0.2)
    return holds()


def test_no_worker_stays_behind(tmp_path):
    (tmp_path / "train.py").write_text("import sys, time\nopen(sys.argv[1], 'w').close()\ntime.sleep(600)\n", "utf-8")
    mark = uuid.uuid4().hex
    words = ["matrix", "--jobs", "2", "--machine", "cpu,v100", "--results", tmp_path / "kept", "train.py", "begun"]
    env = os.environ | {"MARK": mark, "PYTHONPATH": str(SOURCE)}
    process = subprocess.Popen(
        [sys.executable, "-m", "miscast", *words], cwd=tmp_path, env=env, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert _until(lambda: len(_with(mark, "miscast.running.workers.worker")) >= 2), "each worker is at a cell"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert _until(lambda: not _with(mark))
