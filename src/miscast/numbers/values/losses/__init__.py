"""Silent precision losses, one file per kind, found by discovery: a page, and a check of each call.

RULE'S PAGE = the docstring;  observe(call) -> Iterator[Loss];  or only the page, where another part finds it

Of a rule that `judging/rules/` has, too, the ways out are that rule's; another has them itself, as `HELP`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from ....core.plugins import function, load, name_of, page_of, value
from ....judging.findings.lossy import Help
from ..call import Call
from ..loss import Loss

__all__ = ["Rule", "known", "known_help", "observed"]

_OF_EXACT_ONES = frozenset(
    {"sum-stalls", "update-absorbed", "number-overflows", "number-underflows"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of loss: its name, its page, and what sees it."""

    name: str
    page: str
    observe: Callable[[Call], Iterator[Loss]]
    help: Help

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.partition("\n")[0]


@cache
def known() -> tuple[Rule, ...]:
    """Return every kind, by name."""
    return tuple(
        Rule(
            name=name_of(file).replace("_", "-"),
            page=page_of(file),
            observe=file.observe,
            help=getattr(file, "HELP", {}),
        )
        for file in load(
            __name__, needs=(function("observe", 1),), may=(value("HELP", dict),)
        )
    )


@cache
def known_help() -> Mapping[str, Help]:
    """Return the help of every rule, by name."""
    from ....judging.rules import known as judged

    own = {rule.name: rule.help for rule in known()}
    return {**own, **{rule.name: rule.help for rule in judged()}}


def observed(call: Call) -> Iterator[Loss]:
    """Yield what any rule sees in a call. Of exact results only what adds up and what float8 cuts off is looked at."""
    exact = all(one.finite and one.error == 0 for one in call.results)
    for rule in known():
        if not exact or rule.name in _OF_EXACT_ONES:
            for loss in rule.observe(call):
                yield replace(loss, rule=loss.rule or rule.name)
