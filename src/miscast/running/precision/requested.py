"""Half precision that a program asks for, and whether anything computes in it: autocast, settings of libraries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from ...vm.provenance.origin import Place

HALF = frozenset({torch.float16, torch.bfloat16})
_WIDE_BY_POLICY = frozenset({"dot", "bilinear", "tensordot", "_trilinear"})
"""Products that autocast itself runs in the widest dtype of their operands (ATen/autocast_mode.h, torch 2.13)."""
Report = Callable[..., None]
"""Reports a request that is not held: `report(op, form, figures, wanted=…, at=…)`. `form` selects the help, `wanted` is
the dtype, `at` the line (None: the running one).
"""


@dataclass(slots=True, kw_only=True, eq=False)
class Request:
    """A line that asks for half precision, and what the matrix products that it covers ran in."""

    place: Place
    op: str
    form: str
    says: str
    dtype: str
    held: bool = False
    others: Counter[tuple[torch.dtype, str]] = field(default_factory=Counter)

    @property
    def figures(self) -> str:
        """A clause that says what was requested and what ran instead."""
        ran = ", ".join(
            f"{count} ran in {str(dtype)[6:]} on {device}"
            for (dtype, device), count in self.others.most_common()
        )
        return f"{self.says}, but no matrix product runs in half precision: {ran}"


class Requested:
    """The requests of one run. `any`: whether there is one that products count for."""

    def __init__(self, report: Report) -> None:
        self.any = False
        self._report = report
        self._all: dict[tuple[Place, str], Request] = {}
        self._open: list[Request] = []

    def setting(self, place: Place | None, op: str, dtype: str) -> None:
        """Record a setting for the whole run, by the first line that requests it."""
        if not any(one.form == "setting" for one in self._open):
            self.enter(place, op, "setting", f"{op} requests {dtype}", dtype)

    def enter(
        self, place: Place | None, op: str, form: str, says: str, dtype: str
    ) -> Request | None:
        """Count products for a line's request from now on; returns None if it is not a line of the program."""
        if place is None:
            return None
        made = Request(place=place, op=op, form=form, says=says, dtype=dtype)
        request = self._all.setdefault((place, op), made)
        self._open.append(request)
        self.any = True
        return request

    def leave(self, request: Request | None) -> None:
        """Stop counting for a region that ends."""
        if request in self._open:
            self._open.remove(request)
            self.any = bool(self._open)

    def product(
        self,
        name: str,
        dtype: torch.dtype,
        device: torch.device | None,
        region: torch.dtype | None,
    ) -> None:
        """Count a matrix product for all that is open. `region` is the dtype of autocast, where that is on."""
        if region in HALF and dtype is torch.float32 and name not in _WIDE_BY_POLICY:
            op, wanted = name.strip("_"), str(region)[6:]
            says = (
                f"{op} runs in float32: autocast to {wanted} does not cast its operands"
            )
            self._report(op, "escapes", says, wanted=wanted, at=None)
            return
        for one in self._open:
            if dtype.itemsize <= torch.float16.itemsize:
                one.held = True
            else:
                one.others[dtype, str(device or "cpu")] += 1

    def loaded(self, op: str, dtype: Any, model: Any) -> None:
        """Check that a model loaded by the running line has parameters of the requested dtype."""
        held = {one.dtype for one in model.parameters()}
        if dtype in HALF and held and dtype not in held:
            others = ", ".join(sorted(str(one)[6:] for one in held))
            says = f"{op}(dtype={dtype}) loads parameters as {others}"
            self._report(op, "loading", says, wanted=str(dtype)[6:], at=None)

    def end(self) -> None:
        """Report what was not held."""
        for one in self._all.values():
            if one.others and not one.held:
                self._report(
                    one.op, one.form, one.figures, wanted=one.dtype, at=one.place
                )
