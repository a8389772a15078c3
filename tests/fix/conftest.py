"""One worker with torch for all tests: each case then costs what its runs cost."""

from __future__ import annotations

import pytest

from miscast.fixing.trials.job import Job
from miscast.fixing.trials.trials import Trials


@pytest.fixture(scope="session")
def worker():
    with Trials(Job(target="", args=(), machine="cpu", strict=False, batches=2)) as trials:
        yield trials


@pytest.fixture
def fix(worker, tmp_path, monkeypatch):
    """Mend a program given as text, or as texts by file name of which main.py is run."""
    from miscast.fixing.fixes.mend import mended

    monkeypatch.chdir(tmp_path)

    def run(source, machine="v100", *, strict=False, start="main.py"):
        for name, text in source.items() if isinstance(source, dict) else [("main.py", source)]:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        worker.job = Job(target=str(tmp_path / start), args=(), machine=machine, strict=strict, batches=2)
        worker.limit = 1e9
        return mended(worker)

    return run
