"""Units of a sweep, each a named set of small programs, found in the modules of `SOURCES`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from miscast.core.similar import similar

if TYPE_CHECKING:
    import torch

SOURCES = tuple(
    f"{__package__}.{name}" for name in ("database", "layers", "stepping", "writing")
)
"""Modules with a function `units()`; they import torch's testing internals only when it is called."""
BASES = (
    "float32", "float16", "bfloat16", "float64", "int64", "int32", "bool", "complex64",
)  # fmt: skip
"""The dtypes that programs are run in."""


@dataclass(frozen=True, slots=True)
class Program:
    """Something to run; then its backward pass down to `leaves`, if there are any."""

    run: Callable[[], Any]
    leaves: Sequence[torch.Tensor] = ()


def calling(
    function: Callable[..., Any],
    *args: Any,
    leaves: Sequence[torch.Tensor] = (),
    **kwargs: Any,
) -> Program:
    """Return the program that calls a function."""
    return Program(partial(function, *args, **kwargs), leaves)


@dataclass(frozen=True, slots=True)
class Unit:
    """A named set of programs: `programs(device, dtype)` makes them anew at each call.

    A unit is what is lost at most when a program kills its process before any op was measured.
    """

    name: str
    programs: Callable[[str, torch.dtype], Iterable[Program]]


def find(sources: Sequence[str]) -> dict[str, Unit]:
    """Return all units by name, in the order of the sources."""
    found: dict[str, Unit] = {}
    for source in sources:
        for unit in import_module(source).units():
            found.setdefault(unit.name, unit)
    return found


def chosen(names: Sequence[str], known: Iterable[str]) -> list[str]:
    """Return the requested units: "linear" is "nn.functional.linear", "add" "add" and all its variants.

    Raises ValueError with one line for a name that fits none.
    """
    known = list(known)
    if _all_fit(names, known):
        return [unit for unit in known if any(_fits(name, unit) for name in names)]
    return []


def _all_fit(names: Sequence[str], known: Sequence[str]) -> bool:
    for name in names:
        if not any(_fits(name, unit) for unit in known):
            short = {form: form for unit in known for form in _forms(unit)}
            expected = "expected names of torch's operator database: linear, add, …"
            hint = similar(name, short, expected)
            raise ValueError(f"unknown op {name[:40]!r}: {hint}")
    return True


def _fits(name: str, unit: str) -> bool:
    return name in _forms(unit)


def _forms(unit: str) -> Iterator[str]:
    base = unit.partition(":")[0]
    yield from (unit, base, base.rpartition(".")[2])
