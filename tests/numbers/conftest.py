"""`number_cases`, the reader of corpus/numbers, is importable from the tests of this folder."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))


def pytest_runtest_teardown():
    for name in [name for name in linecache.cache if name.startswith("/program/")]:
        del linecache.cache[name]
