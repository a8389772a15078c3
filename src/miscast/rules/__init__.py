"""What is wrong in a trace: one file per rule, found by discovery; nothing to register.

A rule is a file of this folder that has `find(trace) -> Iterator[Finding]`, or `across(world)` if it holds the ranks of
a program against each other. Its name is the file's name with dashes, its page is the module's docstring (What · Why ·
Example · Use instead · Fix safety). `STRICT = True` keeps a rule for `check --strict`.

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
from ..meeting import World
from .folding import folded
from .worlds import followed, in_order, merged

__all__ = ["Rule", "judge", "judge_world", "known"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: its name, its page, and the function that finds what breaks it, in one trace or across ranks."""

    name: str
    page: str
    find: Callable[[Trace], Iterator[Finding]] | None = None
    across: Callable[[World], Iterator[Finding]] | None = None
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
        find, across = getattr(module, "find", None), getattr(module, "across", None)
        if find or across:
            name = info.name.replace("_", "-")
            page = inspect.cleandoc(module.__doc__ or "")
            strict = getattr(module, "STRICT", False)
            found.append(Rule(name=name, page=page, find=find, across=across, strict=strict))
    return tuple(sorted(found, key=lambda rule: rule.name))


def judge(trace: Trace, *, strict: bool = False) -> tuple[Finding, ...]:
    """Every finding of every rule, in the order in which the run met them; duplicates merged, consequences folded.

    `strict` adds the faults that autocast only hides.
    """
    rules = [rule for rule in known() if strict or not rule.strict]
    return folded(trace, [finding for rule in rules if rule.find for finding in rule.find(trace)])


def judge_world(world: World, *, strict: bool = False) -> tuple[Finding, ...]:
    """Every finding of every rank, each once with its `ranks`, and then where the ranks do not fit together."""
    found = merged([judge(trace, strict=strict) for trace in world.traces])
    rules = [rule for rule in known() if strict or not rule.strict]
    return followed(found, in_order(world, [f for rule in rules if rule.across for f in rule.across(world)]))
