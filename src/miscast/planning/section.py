"""The section of a plan, as text and as JSON.

plan      rtx4090: budget 21.3 GiB of 23.7 GiB, error at most 0.01
chosen    unet bf16-mixed, vae bf16-true
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.text import Text

from ..report.lines import cut, labelled, one_line
from ..report.page import plain
from ..report.view import View, Words
from ..report.wording import place as spelled_place, printable, size as spelled_size
from .picture import front, picture
from .point import UNLIMITED, Budget, Point
from .scaling import halves, told as scaler_told
from .spelled import Spelled

_LABEL = 10
_KINDS = 5
_TITLE, _ROW = 34, 38
"""Columns of a title, at least, and of what stands beside it in a row."""
_MILLION = 10**6
_SEEN = 0.001
"""A part that is less of the whole is not told."""
_MARKS = "  →: chosen; ·: Pareto-optimal; !: over the budget; ✗: rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`chosen` is None where nothing fits; `nearest` would then need least. `notes` are told behind the table."""

    machine: str
    capacity: int
    budget: Budget
    measured: bool
    components: Sequence[Mapping[str, Any]]
    points: Sequence[Point]
    chosen: Point | None
    nearest: Point | None
    rates: str
    settings: Mapping[str, Spelled] = field(default_factory=dict)
    scaler: str = "none"
    proof: str = ""
    notes: Sequence[str] = ()

    name = "plan"

    def lines(self, width: int) -> Iterable[Text]:
        """Yield the plan as text."""
        yield from self._head(width)
        yield from self._table(width)
        yield from self._choice(width)
        yield from self._breakdown(width)
        yield from self._kernels(width)
        yield from self._policy(width)
        for one in self.notes:
            yield from labelled("note", one_line(one), width, "yellow", column=_LABEL)

    def views(self) -> Iterator[View]:
        """Yield the points as a picture, and all that the text says."""
        drawn = picture(self.points, self.chosen, self.budget, _gib, _time)
        if drawn is not None:
            yield drawn
        yield Words(text=plain(self.lines(100)).rstrip(), verbatim=True)

    def _head(self, width: int) -> Iterator[Text]:
        error = f", error at most {self.budget.error:.2g}" if self.measured else ""
        of = f" of {_gib(self.capacity)}" if self.capacity else ""
        limited = self.budget.memory < UNLIMITED
        budget = f"{_gib(self.budget.memory)}{of}" if limited else "unlimited"
        told = f"{self.machine}: budget {budget}{error}"
        yield from labelled("plan", told, width, "cyan", column=_LABEL)
        for one in self.components:
            switch = {"on": ", checkpointing on", "can": "", "": ""}[one["checkpoints"]]
            told = f"{one['name']} ({one['kind']}): {_count(one['numbers'])} parameters, {_trained(one)}{switch}"
            yield from labelled("", printable(told), width, column=_LABEL)

    def _table(self, width: int) -> Iterator[Text]:
        marks = dict.fromkeys(map(id, front(self.points)), "·")
        marks[id(self.chosen)] = "→"
        longest = max((len(one.title) for one in self.points), default=0)
        room = max(_TITLE, min(longest, width - _ROW))
        yield Text(f"  {'candidate':{room}}  {'memory':>9}  {'forecast':>9}  {'error':>7}", "bold")  # fmt: skip
        for one in self.points:
            mark = marks.get(id(one), " ")
            peak = _gib(one.peak) if one.peak else "-"
            over = "!" if one.peak > self.budget.memory else " "
            seconds = _time(one.seconds)
            error = "-" if one.error is None else f"{one.error:.1e}"
            row = f"{mark} {cut(one.title, room):{room}}  {peak:>9}{over} {seconds:>9}  {error:>7}"
            line = Text(row, _style(one, self))
            if one.out:
                line.append("  ✗", "red")
            yield line
        yield Text(_MARKS, "dim")
        for one in self.points:
            if one.out:
                told = f"{one.title}: {one_line(one.out)}"
                yield from labelled("rejected", told, width, "red", column=_LABEL)

    def _choice(self, width: int) -> Iterator[Text]:
        one = self.chosen
        if one is not None:
            told = f"{one.title}: {_gib(one.peak)} ({_named(one.parts)})"
            if one.forecast:
                told += f", {_time(one.seconds)} per step (forecast)"
            yield from labelled("chosen", told, width, "green", column=_LABEL)
            return
        near = self.nearest
        if near is None:
            yield from labelled("no plan", "no candidate finished its run", width, "red", column=_LABEL)  # fmt: skip
            return
        over = near.peak - self.budget.memory
        if over <= 0:
            told = f"no candidate has an error of at most {self.budget.error:.2g}; the best has {_least(self.points)}"
        else:
            told = f"nothing fits: {_gib(over)} over the budget"
            told += f" at {spelled_place(near.place)}" if near.place else ""
            told += f" with the smallest candidate, {near.title}: {_gib(near.peak)} ({_named(near.parts)})"
        yield from labelled("no plan", told, width, "red", column=_LABEL)

    def _breakdown(self, width: int) -> Iterator[Text]:
        one = self.chosen or self.nearest
        if one is None or not one.forecast:
            return
        seconds = one.seconds or 1.0
        kinds = list(one.forecast["kinds"].items())[:_KINDS]
        shares = ", ".join(f"{kind} {part / seconds:.0%}" for kind, part in kinds)
        uneven = one.forecast["uneven"]
        told = (
            f"{_time(seconds)} per step: {shares}; {one.forecast['launches']:,} kernels"
        )
        if uneven >= 0.01:
            told += (
                f"; {uneven:.0%} in matrix products whose sizes do not fit tensor cores"
            )
        told += f". Estimated from peak rates and typical kernel efficiency, not measured: {self.rates}"
        yield from labelled("forecast", told, width, "cyan", column=_LABEL)

    def _kernels(self, width: int) -> Iterator[Text]:
        """Yield the kernels of attention, and the scaler."""
        one = self.chosen or self.nearest
        if one is None:
            return
        said = [f"{_attention(row)} per step" for row in one.attention]
        if not one.candidate.attention:
            eager = [o for o in self.components if o.get("attends") == "eager"]
            said += [f"{o['name']} uses its own eager attention" for o in eager]
        if said:
            yield from labelled("attention", "; ".join(said), width, "cyan", column=_LABEL)  # fmt: skip
        if models := halves(one.candidate, self.components):
            told = scaler_told(models, self.scaler)
            yield from labelled("scaler", told, width, "yellow", column=_LABEL)

    def _policy(self, width: int) -> Iterator[Text]:
        if self.chosen is None:
            return
        label = "policy"
        for line in self.chosen.candidate.policy().to_toml().strip().splitlines():
            yield Text.assemble((f"  {label:{_LABEL}} ", "cyan"), printable(line))
            label = ""
        for name, said in self.settings.items():
            settings = ", ".join(f"{k}={v}" for k, v in said.settings.items()) or "-"
            lost = f"; cannot express: {_briefly(said.lost)}" if said.lost else ""
            yield from labelled(name, f"{settings}{lost}", width, "cyan", column=12)
        if self.proof:
            yield from labelled("verified", self.proof, width, "cyan", column=_LABEL)

    def _scaler(self) -> dict[str, Any] | None:
        one = self.chosen or self.nearest
        models = halves(one.candidate, self.components) if one is not None else ()
        return {"models": list(models), "program": self.scaler} if models else None

    def data(self) -> dict[str, Any]:
        """Return all of it."""
        ranked = front(self.points)
        chosen = self.chosen
        return {
            "machine": self.machine,
            "memory": self.budget.memory,
            "error": self.budget.error if self.measured else None,
            "components": list(self.components),
            "points": [_point(one, ranked) for one in self.points],
            "chosen": None if chosen is None else _point(chosen, ranked),
            "nearest": None if self.nearest is None else _point(self.nearest, ranked),
            "policy": None if chosen is None else chosen.candidate.policy().to_toml(),
            "settings": {name: asdict(one) for name, one in self.settings.items()},
            "scaler": self._scaler(),
            "rates": self.rates,
            "proof": self.proof,
        }


def _point(one: Point, ranked: Sequence[Point]) -> dict[str, Any]:
    place = one.place
    return {
        "title": one.title,
        "precisions": dict(one.candidate.precisions),
        "checkpointing": one.candidate.checkpointing,
        "states": one.candidate.states,
        "ranks": one.candidate.ranks,
        "attention": one.candidate.attention,
        "kernels": [dict(kernel) for kernel in one.attention],
        "host": one.candidate.host,
        "as_it_is": one.candidate.as_it_is,
        "peak": one.peak,
        "parts": dict(one.parts),
        "file": place.file if place else None,
        "line": place.line if place else None,
        "forecast": None if one.forecast is None else dict(one.forecast),
        "error": one.error,
        "out": one_line(one.out),
        "front": one in ranked,
    }


def _style(one: Point, plan: Plan) -> str:
    if one is plan.chosen:
        return "green"
    return "dim" if one.out or one.peak > plan.budget.memory else ""


def _least(points: Sequence[Point]) -> str:
    errors = [one.error for one in points if one.error is not None and not one.out]
    return f"{min(errors):.1e}" if errors else "none"


def _attention(row: Mapping[str, Any]) -> str:
    """Return one kernel of attention, why it is not flash, and what it makes where it makes all its weights."""
    weights = row["weights"]
    why = [row["why"]] if row["why"] else []
    why += [f"attention weights of one call: {_gib(weights)}"] if weights else []
    return f"{row['kernel']} ×{row['times']}" + (f" ({', '.join(why)})" if why else "")


def _named(parts: Mapping[str, int]) -> str:
    whole = sum(parts.values())
    most = sorted(parts.items(), key=lambda item: -item[1])[:4]
    most = [(name, size) for name, size in most if size >= _SEEN * whole]
    return ", ".join(f"{name} {_gib(size)}" for name, size in most)


def _count(numbers: int) -> str:
    if numbers >= _MILLION / 10:
        return f"{numbers / _MILLION:,.4g} million"
    return f"{numbers:,}"


def _trained(one: Mapping[str, Any]) -> str:
    if not one["trained"]:
        return "frozen"
    if one["updated"] == one["numbers"]:
        return "trained"
    adapters = " (adapters, unchanged)" if one.get("adapters") else ""
    return f"{_count(one['updated'])} of them trained{adapters}"


def _gib(size: int) -> str:
    return spelled_size(size, 2)


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"


def _briefly(lost: Sequence[str]) -> str:
    """Return what it is of; the reasons are in the JSON."""
    return ", ".join(dict.fromkeys(one.partition(":")[0] for one in lost))
