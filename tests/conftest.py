"""What all tests share: `traces`, made by hand, is importable from every folder; how long each test took is recorded.

    make test                                     what takes under SLOW seconds, by tests/durations.json
    make test-most                                what CI runs: no sweeps over whole databases
    make test-all                                 everything
    python -m pytest --record-durations           measures it anew
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
os.environ.setdefault("OMP_NUM_THREADS", "1")  # who waits for a thread spins, on the core of the test beside it

DURATIONS = Path(__file__).with_name("durations.json")
SLOW = 1.5  # seconds from which on a test is marked `slow`
LEAST = 1.0  # and from which on it is recorded


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-durations", action="store_true", help=f"write {DURATIONS.name}")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--record-durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recording())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    taken = json.loads(DURATIONS.read_text("utf-8"))
    for item in items:
        if taken.get(item.nodeid, 0.0) >= SLOW:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def _accelerate_forgets() -> Iterator[None]:
    """accelerate keeps its state for the whole process: what a test's Trainer chose is nothing to the next test."""
    yield
    if state := sys.modules.get("accelerate.state"):
        state.GradientState._reset_state()
        state.AcceleratorState._reset_state(reset_partial_state=True)


class Recording:
    """Sums what set-up, call and teardown of each test took, and writes it at the end."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        taken = {name: round(seconds, 1) for name, seconds in sorted(self.seconds.items()) if seconds >= LEAST}
        DURATIONS.write_text(json.dumps(taken, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
