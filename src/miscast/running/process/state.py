"""Restore what a program may change in its process: settings of torch and Python, environment, folder.

    with kept(failures):
        torch.set_default_dtype(torch.float64)
        os.chdir("/")
    torch.get_default_dtype()   # as before

Each setting is restored on its own: one that cannot be does not keep the others from it. Not kept: what is started
(threads, processes, servers), what is registered for the end of the process (`atexit`), and modules that are imported.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from . import float32_precision, python_settings, torch_settings
from .setting import Array, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...core.failure import Failures


@contextmanager
def kept(failures: Failures) -> Iterator[None]:
    """Restore every setting after the block, also after an error; one that cannot be read or restored is a failure."""
    before: list[tuple[Any, Setting]] = []
    with failures.during("it saved the process's settings"):
        for setting in _settings():
            with failures.during(f"it read {setting.name}"):
                before.append((setting.get(), setting))
    try:
        yield
    finally:
        for value, setting in before:
            with failures.during(f"it restored {setting.name}"):
                _restore(value, setting)
        with failures.during("it restored the autocast cache"):
            torch.clear_autocast_cache()


def _settings() -> Iterator[Setting]:
    for part in (torch_settings, float32_precision, python_settings):
        yield from part.settings()


def _restore(before: Any, setting: Setting) -> None:
    try:
        same = _same(setting.get(), before)
    except Exception:  # noqa: BLE001 - what the program left cannot be read, so it is not as before
        same = False
    if not same:
        setting.put(before)


def _same(now: Any, before: Any) -> bool:
    if isinstance(before, torch.Tensor):
        return torch.equal(now, before)
    if isinstance(before, Array):  # a state that holds an array is set again
        return False
    return now is before or bool(now == before)
