"""Which tests a ring runs.

    pytest --ring quick     those that take less than SLOW seconds (durations.json), and those in kept.txt: `make test`
    pytest --ring ci        also one in SHARE of the slow ones: `.ci/run`
    pytest                  also those that take minutes: `make test-all`

Which slow ones depends on the commit alone, so that a commit has one result. A test whose own file or program changed
always runs: since the revision in the environment's BASE, or else since the commit's first parent.
"""

from __future__ import annotations

import json
import os
import subprocess
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DURATIONS = Path(__file__).with_name("durations.json")
SLOW = 0.2
"""Seconds from which on a test is slow."""
MINUTES = 60.0
"""Seconds from which on only `make test-all` runs a test."""
SHARE = 6


def mark_slow(items: Iterable[pytest.Item]) -> None:
    """Mark what the file of durations lists, unless it is kept."""
    for item in items:
        if item.nodeid in _seconds() and _kept().isdisjoint({item.nodeid, item.nodeid.partition("[")[0]}):
            item.add_marker(pytest.mark.minutes if _seconds()[item.nodeid] >= MINUTES else pytest.mark.slow)


def is_run(item: pytest.Item, ring: str) -> bool:
    """Return whether a ring runs a test."""
    is_slow, takes_minutes = (item.get_closest_marker(name) is not None for name in ("slow", "minutes"))
    if ring == "all" or not (is_slow or takes_minutes):
        return True
    if ring == "quick" or takes_minutes:
        return False
    turn = _turns().get(item.nodeid, zlib.crc32(item.nodeid.encode()))
    return (turn + _commit()) % SHARE == 0 or not changed().isdisjoint(_files(item))


def _files(item: pytest.Item) -> Iterator[str]:
    """A test's file, and that of its program."""
    yield item.nodeid.partition("::")[0]
    if corpus := item.get_closest_marker("corpus"):
        yield corpus.args[0].format(item.name.partition("[")[2].rstrip("]"))


@cache
def _seconds() -> dict[str, float]:
    return json.loads(DURATIONS.read_text("utf-8"))


@cache
def _kept() -> frozenset[str]:
    return frozenset(DURATIONS.with_name("kept.txt").read_text("utf-8").splitlines())


@cache
def _turns() -> dict[str, int]:
    """Return the turn of each listed test: dealt by seconds, to and fro, so that all turns take equally long."""
    lengths = {name: took for name, took in _seconds().items() if took < MINUTES and name not in _kept()}
    by_length = sorted(lengths, key=lambda name: (-lengths[name], name))
    order = [*range(SHARE), *reversed(range(SHARE))]
    return {name: order[n % len(order)] for n, name in enumerate(by_length)}


@cache
def changed() -> frozenset[str]:
    """Return the files that differ from the base, as paths below the repository; none where there is no git."""
    moved = "--find-renames=100%", "--diff-filter=AM"  # is no change
    return frozenset(git("diff", "--name-only", *moved, os.environ.get("BASE") or "HEAD^").splitlines())


@cache
def _commit() -> int:
    return int(git("rev-parse", "HEAD")[:8] or "0", 16)


def git(*words: str) -> str:
    """Return what git prints, "" where there is none."""
    try:
        ran = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return ran.stdout.strip()
