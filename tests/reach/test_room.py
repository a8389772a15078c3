"""Forks that wait hold what the run writes to: they have room for a share of what it holds itself."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator

import pytest

from miscast.vm.reach.room import Room

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process holds")
_MIB = 1 << 20


@pytest.fixture
def waiting() -> Iterator[list[int]]:
    pids: list[int] = []
    yield pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def fork(waiting: list[int]) -> None:
    pid = os.fork()
    if not pid:
        signal.pause()
    waiting.append(pid)


def test_forks_of_what_changes_fill_it(waiting):
    room, data = Room(), bytearray(128 * _MIB)
    for _ in range(64):
        if room.is_full(waiting):
            break
        fork(waiting)
        data[:: os.sysconf("SC_PAGE_SIZE")] = os.urandom(len(data) // os.sysconf("SC_PAGE_SIZE"))
    assert 1 <= len(waiting) < 16
    os.kill(gone := waiting.pop(), signal.SIGKILL)
    os.waitpid(gone, 0)
    assert room.is_full(waiting)  # nobody has told
    for pid in waiting:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    waiting.clear()
    fork(waiting)
    room.again()
    assert not room.is_full(waiting)


def test_forks_of_what_stays_hold_little(waiting):
    room, data = Room(), bytearray(os.urandom(128 * _MIB))
    for _ in range(16):
        assert not room.is_full(waiting)
        fork(waiting)
    assert len(data) == 128 * _MIB
