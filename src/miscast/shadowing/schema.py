"""What stands under `shadow` and under `against` in the JSON of `miscast run --shadow`; frozen as a report's schema is.

A number that JSON has not is a text: "nan", "inf", "-inf".
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from ..event import Location

Number = float | Literal["nan", "inf", "-inf"]


class AddedData(Struct, kw_only=True):
    """What a line adds to the error: `share` of all, `ulps` by its worst call, `cost` as a share of all numbers."""

    location: Location
    op: str
    dtype: str
    phase: str
    calls: int
    ulps: Number
    share: Number
    cost: Number
    module: str


class OutputData(Struct, kw_only=True):
    """How far a module's output is from its shadow; `reaches`: by how much of itself the loss moves with that."""

    module: str
    dtype: str
    error: Number
    reaches: Number | None


class WithinData(Struct, kw_only=True):
    """What is added within a module and all below it."""

    module: str
    share: Number
    cost: Number


class LossData(Struct, kw_only=True):
    """A loss as it was, and as it is beside."""

    value: Number
    exact: Number
    dtype: str
    location: Location
    step: int
    scale: Number


class RankingData(Struct, kw_only=True):
    """What reaches the loss; `cheapest` is the place of a line in `added`."""

    ops: int
    steps: int
    loss: LossData | None
    added: tuple[AddedData, ...]
    outputs: tuple[OutputData, ...]
    cheapest: int | None
    cheapest_module: WithinData | None
    unknown: dict[str, int]


class PartedData(Struct, kw_only=True):
    """The first result that is further apart than a level."""

    error: Number
    step: int
    op: str
    dtype: str
    phase: str
    location: Location


class PartedAt(Struct, kw_only=True):
    """A level, None for "finite in one of them only", and what passed it first."""

    by: Number | None
    at: PartedData


class ApartData(Struct, kw_only=True):
    """How far a module's output is apart at its first call, and at the worst."""

    module: str
    dtype: str
    first: Number
    worst: Number


class WayData(Struct, kw_only=True):
    """How far a weight went in both runs, and how far they are apart."""

    name: str
    dtype: str
    went: Number
    beside: Number
    apart: Number


class DecisionData(Struct, kw_only=True):
    """A choice that the other run made otherwise."""

    op: str
    location: Location
    step: int
    otherwise: int
    of: int


class PartingData(Struct, kw_only=True):
    """Where a program and itself in another precision part."""

    precision: str
    ops: int
    steps: int
    losses: tuple[LossData, ...]
    parted: tuple[PartedAt, ...]
    outputs: tuple[ApartData, ...]
    weights: tuple[WayData, ...]
    decisions: tuple[DecisionData, ...]
    unknown: dict[str, int]
