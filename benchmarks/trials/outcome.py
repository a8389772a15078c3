"""What came of one call, as plain data that crosses from the workers to the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

Dtypes: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Dtypes of the results and of the operands' gradients ("none" where there is none), or the error's first line."""

    error: str | None = None
    results: Dtypes = ()
    gradients: Dtypes = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A finding of severity error; `arguments` are the names that the schema of its op knows."""

    op: str
    message: str
    arguments: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check said. `ended`: the program raised on the virtual machine; `crash`: Miscast itself raised."""

    told: tuple[Told, ...] = ()
    results: Dtypes = ()
    gradients: Dtypes = ()
    ended: str | None = None
    crash: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One call of `op` (spelled out in `call`), as real torch, `miscast.check` and FakeTensorMode take it.

    `alone` is what the check says by tables and contracts alone, if it may not ask torch itself about small calls.
    """

    op: str
    family: str
    call: str
    real: Outcome
    checked: Checked
    alone: Checked
    faked: Outcome

    def data(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A call that took its worker with it, in the hands of "torch", "check" or "fake"."""

    op: str
    call: str
    stage: str
    why: str


def trial(data: Mapping[str, Any]) -> Trial:
    """A trial as a worker wrote it."""
    return Trial(
        op=data["op"],
        family=data["family"],
        call=data["call"],
        real=Outcome(**_tuples(data["real"])),
        checked=_checked(data["checked"]),
        alone=_checked(data["alone"]),
        faked=Outcome(**_tuples(data["faked"])),
    )


def _checked(data: Mapping[str, Any]) -> Checked:
    told = tuple(Told(**_tuples(one)) for one in data["told"])
    return Checked(**{**_tuples(data), "told": told})


def _tuples(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
