"""What is wrong in a trace: one file per rule, found by discovery; nothing to register.

A rule is a file of this folder that has `find(trace) -> Iterator[Finding]`. Its name is the file's name with dashes,
its page is the module's docstring (What · Why · Example · Use instead · Fix safety). `STRICT = True` keeps a rule for
`check --strict`.

    >>> [rule.name for rule in known()]
    ['autocast-forbids', 'autocast-hides-mismatch', 'device-data-as-numpy', …]
    >>> judge(trace)
    (Finding(rule='operand-dtype-mismatch', message='linear mixes float32 `input` with float16 `weight`', …), …)
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from ..event import Trace
from ..finding import Finding
from .folding import folded

__all__ = ["Rule", "judge", "known"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: its name, its page, and the function that finds what breaks it."""

    name: str
    page: str
    find: Callable[[Trace], Iterator[Finding]]
    strict: bool = False

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.partition("\n")[0]


@cache
def known() -> tuple[Rule, ...]:
    """Every rule, by name."""
    found = []
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        if hasattr(module, "find"):
            name = info.name.replace("_", "-")
            page = inspect.cleandoc(module.__doc__ or "")
            found.append(Rule(name=name, page=page, find=module.find, strict=getattr(module, "STRICT", False)))
    return tuple(sorted(found, key=lambda rule: rule.name))


def judge(trace: Trace, *, strict: bool = False) -> tuple[Finding, ...]:
    """Every finding of every rule, in the order in which the run met them; duplicates merged, consequences folded.

    `strict` adds the faults that autocast only hides.
    """
    found = [finding for rule in known() if strict or not rule.strict for finding in rule.find(trace)]
    return folded(trace, found)
