"""`programs` runs a source with a shadow beside it, as if it were a file."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))


def pytest_runtest_teardown():
    for name in [name for name in linecache.cache if name.startswith("/program/")]:
        del linecache.cache[name]
