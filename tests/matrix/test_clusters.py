"""`miscast matrix` on clusters: a real one of Dask's and one of Ray's, of two workers each, one of which is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """
import sys, time
import torch
time.sleep(1)
model = torch.nn.Linear(4, 4)
if "--half" in sys.argv:
    model.half()
model(torch.randn(2, 4))
"""
AXES = ("--machine", "v100,cpu", "--vary", "{--half,--a,--b,--c}")


@pytest.fixture
def folder(tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    (work / "train.py").write_text(PROGRAM)
    return work


def started(folder, backend, **environment):
    results = folder.parent / "kept"
    return subprocess.Popen(
        [sys.executable, "-m", "miscast", "matrix", "--backend", backend, "--results", str(results), "--format", "json",
         "--jobs", "2", *AXES, "train.py"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
    )  # fmt: skip


def first_result(folder, process):
    """Waits for it."""
    until = time.monotonic() + 400
    while not any(not file.name.startswith("last-") for file in (folder.parent / "kept").glob("*.json")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.1)


def complete(process):
    out, err = process.communicate(timeout=500)
    assert out, err
    found = [cell["status"] for cell in json.loads(out)["matrix"]["cells"]]
    assert found == ["found", "ok", "ok", "ok"] * 2, out[-3000:]
    assert process.returncode == 1


def test_dask(folder):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
    ) as cluster:
        process = started(folder, "dask", DASK_SCHEDULER_ADDRESS=cluster.scheduler_address)
        first_result(folder, process)
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
        complete(process)


def test_ray(folder):
    pytest.importorskip("ray")
    process = started(folder, "ray", RAY_USAGE_STATS_ENABLED="0")
    first_result(folder, process)
    os.kill(_actors()[0], signal.SIGKILL)
    complete(process)


def _actors():
    """Ray's processes that run cells."""
    return [
        int(path.parent.name)
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if path.read_bytes().startswith(b"ray::PoolActor")
    ]
