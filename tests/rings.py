"""Which tests a ring runs.

    pytest --ring quick     those that take less than SLOW seconds (tests/durations.json): `make test`
    pytest --ring ci        also the slow ones, but no sweeps, and of slow programs of a corpus one in SHARE: `.ci/run`
    pytest                  all of them: `make test-all`

Which programs of a corpus have their turn hangs on the commit alone, so that a commit has one result. A program whose
file changed is always run: since the revision in the environment's BASE, or else in the day before the commit.
"""

from __future__ import annotations

import json
import os
import subprocess
import zlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DURATIONS = Path(__file__).with_name("durations.json")
SLOW = 1.0
"""Seconds from which on a test is slow."""
SHARE = 6
_DAY = 86400


def mark_slow(items: Iterable[pytest.Item]) -> None:
    """Mark what the file of durations lists, and tell its reports from how many seconds on it is listed."""
    seconds = json.loads(DURATIONS.read_text("utf-8"))
    for item in items:
        corpus = item.get_closest_marker("corpus")
        item.user_properties.append(("slow", corpus.kwargs.get("slow", SLOW) if corpus else SLOW))
        if item.nodeid in seconds:
            item.add_marker(pytest.mark.slow)


def is_run(item: pytest.Item, ring: str) -> bool:
    """Return whether a ring runs a test."""
    if ring == "quick":
        return item.get_closest_marker("slow") is None
    if ring == "ci" and item.get_closest_marker("sweep") is not None:
        return False
    corpus = item.get_closest_marker("corpus")
    rotates = ring == "ci" and corpus is not None and item.get_closest_marker("slow") is not None
    return not rotates or _has_its_turn(item, *corpus.args)


def _has_its_turn(item: pytest.Item, folder: str) -> bool:
    name = item.name.partition("[")[2].rstrip("]")
    return f"{folder}/{name}.py" in changed() or (zlib.crc32(item.nodeid.encode()) + _commit()) % SHARE == 0


@cache
def changed() -> frozenset[str]:
    """Return the files that differ from the base, as paths below the repository; none where there is no git."""
    before = int(_git("log", "-1", "--format=%ct") or 0) - _DAY
    base = os.environ.get("BASE") or _git("rev-list", "-1", f"--before={before}", "HEAD")
    return frozenset(_git("diff", "--name-only", base).splitlines() if base else ())


@cache
def _commit() -> int:
    return int(_git("rev-parse", "HEAD")[:8] or "0", 16)


def _git(*words: str) -> str:
    try:
        ran = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return ran.stdout.strip()
