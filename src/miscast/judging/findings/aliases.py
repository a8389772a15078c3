"""Ids that findings had before: a comment, a setting or a baseline that names one still means what it meant.

>>> current("spread-of-one")
'nan-appears'
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

RETIRED: Mapping[str, str] = {
    "infinities-cancel": "nan-appears",
    "spread-of-one": "nan-appears",
    "zero-by-rounding": "nan-appears",
    "zero-times-nan": "nan-appears",
}
"""Ids that are no rule's any more, and the rule that each is now: each was a form of it, which `run --shadow` saw."""
_FORMER: Mapping[str, tuple[str, ...]] = {
    "constant-vanishes": ("number-underflows",),
    "half-parameters-without-master": ("update-absorbed",),
    "state-in-half": ("update-absorbed",),
    "sum-stalls": ("integer-rounds", "update-absorbed"),
    "update-absorbed": ("sum-stalls",),
}
"""Former rules of some of a rule's findings, by rule: one fault had a name for each engine."""
SAME: Mapping[str, tuple[str, ...]] = {
    "integer-rounds": ("sum-stalls", "update-absorbed"),
    "number-underflows": ("constant-vanishes",),
    "update-absorbed": ("sum-stalls",),
}
"""Rules that report the same fault, by rule, if an op at a line has both: a count that never changes."""


def current(name: str) -> str:
    """Return the rule that an id means."""
    return RETIRED.get(name, name)


def ids(rule: str) -> tuple[str, ...]:
    """Return the ids that a finding of a rule may have had, the one that it has first."""
    retired = (name for name, now in RETIRED.items() if now == rule)
    return (rule, *retired, *_FORMER.get(rule, ()))


def said_better(rule: str, at: tuple[object, ...], met: Collection[object]) -> bool:
    """Check whether another rule reports the fault at this op and line; `met` are rules with ops and lines."""
    return any((better, *at) in met for better in SAME.get(rule, ()))
