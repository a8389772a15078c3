"""A worker is killed amid a matrix: of this machine's, of a real cluster of Dask's, and of one of Ray's."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CLUSTERS = Path(sys.prefix) / "clusters"
PROGRAM = """
import sys
import torch
model = torch.nn.Linear(4, 4)
if "--half" in sys.argv:
    model.half()
model(torch.randn(2, 4))
"""
AXES = ("--machine", "v100,cpu", "--vary", "{--half,--a,--b,--c}")


@pytest.mark.parametrize("backend", ["loky", "dask", "ray"])
def test_a_worker_that_is_killed_costs_no_cell_and_none_is_told_twice(backend, tmp_path):
    if backend != "loky" and not CLUSTERS.exists():
        pytest.skip("Ray and Dask are in a folder of their own, which 'make test' fills")
    work, kept = tmp_path / "work", tmp_path / "kept"
    work.mkdir()
    (work / "train.py").write_text(PROGRAM)
    paths = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(CLUSTERS))))
    process = subprocess.Popen(
        [sys.executable, "-m", "miscast", "matrix", "--backend", backend, "--jobs", "2", "--results", kept,
         "--format", "json", *AXES, "train.py"],
        cwd=work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": paths, "RAY_USAGE_STATS_ENABLED": "0"},
    )  # fmt: skip
    try:
        _kill_one(process, work, kept)
        out, err = process.communicate(timeout=500)
    finally:
        process.kill()
    assert out, err
    assert [cell["status"] for cell in json.loads(out)["matrix"]["cells"]] == ["found", "ok", "ok", "ok"] * 2
    assert process.returncode == 1


def _kill_one(process, work, kept):
    """A worker, once there is a result."""
    until = time.monotonic() + 400
    while True:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        results = [file for file in kept.glob("*.json") if not file.name.startswith("last-")]
        for worker in _workers(work) if results else ():
            os.kill(worker, signal.SIGKILL)
            return
        time.sleep(0.05)


def _workers(work):
    """Each has started a process that keeps the program's libraries, in the program's folder."""
    for one in Path("/proc").glob("[0-9]*"):
        try:
            if b"miscast.running.workers.worker" in (one / "cmdline").read_bytes() and (one / "cwd").samefile(work):
                parent = int((one / "stat").read_text().rpartition(")")[2].split()[1])
                if b"miscast.running.workers.worker" not in Path(f"/proc/{parent}/cmdline").read_bytes():
                    yield parent
        except OSError:
            continue
