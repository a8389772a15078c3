"""How a report is told: one file per format, found by discovery; a format is a file with `render(report) -> str`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from types import ModuleType

from .report import Report

__all__ = ["Report", "formats", "renderer"]


def formats() -> tuple[str, ...]:
    """The names of the formats: ("json", "text")."""
    return tuple(sorted(info.name for info in pkgutil.iter_modules(__path__) if hasattr(_module(info.name), "render")))


def renderer(name: str) -> Callable[[Report], str]:
    """The function that writes a report in a format. Raises ValueError, with the known ones, for another."""
    module = _module(name) if name in {info.name for info in pkgutil.iter_modules(__path__)} else None
    render: Callable[[Report], str] | None = getattr(module, "render", None)
    if render is None:
        raise ValueError(f"unknown format {name[:40]!r}: known are {', '.join(formats())}")
    return render


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name}")
