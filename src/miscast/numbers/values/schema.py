"""The data under `shadow` and `against` in the JSON of `miscast run --shadow`; frozen like the schema of a report.

Numbers that JSON lacks are texts: "nan", "inf", "-inf".
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from ...core.event import Location

Number = float | Literal["nan", "inf", "-inf"]


class AddedData(Struct, kw_only=True):
    """The error that a line adds: `share` of the total, `ulps` of its worst call, `cost` as a share of all elements."""

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
    """The relative error of a module's output; `reaches` is the relative change of the loss that it causes."""

    module: str
    dtype: str
    error: Number
    reaches: Number | None


class WithinData(Struct, kw_only=True):
    """The error added within a module and its submodules."""

    module: str
    share: Number
    cost: Number


class LossData(Struct, kw_only=True):
    """A loss: its real `value` and its `exact` value."""

    value: Number
    exact: Number
    dtype: str
    location: Location
    step: int
    scale: Number


class RankingData(Struct, kw_only=True):
    """The error that lines and modules add; `cheapest` is the index of a line in `added`."""

    ops: int
    steps: int
    loss: LossData | None
    added: tuple[AddedData, ...]
    outputs: tuple[OutputData, ...]
    cheapest: int | None
    cheapest_module: WithinData | None
    unknown: dict[str, int]


class PartedData(Struct, kw_only=True):
    """The first result whose difference exceeds a level."""

    error: Number
    step: int
    op: str
    dtype: str
    phase: str
    location: Location


class PartedAt(Struct, kw_only=True):
    """A level (None for "finite in only one run") and the first result that exceeds it."""

    by: Number | None
    at: PartedData


class ApartData(Struct, kw_only=True):
    """The difference of a module's output at its first call and at its worst call."""

    module: str
    dtype: str
    first: Number
    worst: Number


class WayData(Struct, kw_only=True):
    """The distance of a weight in both runs, and the difference between them."""

    name: str
    dtype: str
    went: Number
    beside: Number
    apart: Number


class DecisionData(Struct, kw_only=True):
    """A choice that the other run made differently."""

    op: str
    location: Location
    step: int
    otherwise: int
    of: int


class PartingData(Struct, kw_only=True):
    """Differences of a program from itself in another precision."""

    precision: str
    ops: int
    steps: int
    losses: tuple[LossData, ...]
    parted: tuple[PartedAt, ...]
    outputs: tuple[ApartData, ...]
    weights: tuple[WayData, ...]
    decisions: tuple[DecisionData, ...]
    unknown: dict[str, int]
