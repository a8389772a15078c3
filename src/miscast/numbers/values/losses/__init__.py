"""Silent precision losses, one file per kind, found by discovery: a check of each call.

observe(call) -> Iterator[Loss];  none where results do not round: `beside` asks such a file itself

The pages and the ways out are those of `judging/rules/`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache

from ....core.plugins import function, load, name_of
from ....judging.findings.lossy import Help
from ..call import Call
from ..loss import Loss

__all__ = ["known_help", "observed"]

_OF_EXACT_ONES = frozenset(
    {"sum-stalls", "update-absorbed", "number-overflows", "number-underflows"}
)


@cache
def _observers() -> tuple[tuple[str, Callable[[Call], Iterator[Loss]]], ...]:
    """Return what sees each kind of loss, by name."""
    files = load(__name__, may=(function("observe", 1),))
    return tuple(
        (name_of(file).replace("_", "-"), file.observe)
        for file in files
        if hasattr(file, "observe")
    )


@cache
def known_help() -> Mapping[str, Help]:
    """Return the help of every rule, by name."""
    from ....judging.rules import known

    return {rule.name: rule.help for rule in known()}


def observed(call: Call) -> Iterator[Loss]:
    """Yield what any rule sees in a call. Of exact results only what adds up and what float8 cuts off is looked at."""
    exact = all(one.finite and one.error == 0 for one in call.results)
    for name, observe in _observers():
        if not exact or name in _OF_EXACT_ONES:
            for loss in observe(call):
                yield replace(loss, rule=loss.rule or name)
