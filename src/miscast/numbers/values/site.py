"""A place where an op runs in the program: the user's line, the op, its dtype; and what was measured there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...core.event import Location, Operand, Phase
from ..ranges.settling import Falling

if TYPE_CHECKING:
    import torch

    from ...vm.provenance.origin import Place


@dataclass(slots=True, kw_only=True, eq=False)
class Site:
    """`op` as people call it; `place` is the user's line. Of all its calls: how many, how many numbers, what error.

    `added` is the most that one call added to the relative error of its inputs, in units in the last place; `total`
    the sum over the calls. `module` is the path of the module at work when it was first met, `modules` all that were;
    `met` are its operands and results, `callers` the user's lines that led there, both at the first call;
    `library` is where an installed package computes for the user's line. `rounds_data`: it gives data another
    dtype. `corrects`: a difference that is added to what it was taken of, and so comes near it. `expands`: it takes
    products of two tensors off their squares. `falling` is how a difference becomes less from call to call.
    """

    op: str
    dtype: torch.dtype
    place: Place | None
    location: Location
    phase: Phase
    function: object = None
    calls: int = 0
    elements: int = 0
    added: float = 0.0
    total: float = 0.0
    error: float = 0.0
    compensated: bool = False
    corrects: bool = False
    rounds_data: bool = False
    expands: bool = False
    falling: Falling = field(default_factory=Falling, repr=False)
    library: Place | None = field(default=None, repr=False)
    met: tuple[Operand, ...] = field(default=(), repr=False)
    callers: tuple[Place, ...] = field(default=(), repr=False)
    owner: Place | None = field(default=None, repr=False)
    modules: set[int] = field(default_factory=set, repr=False)

    def made_by(self) -> Site | None:
        """Return the line that created the optimizer, for an optimizer's line in the program's own code."""
        return self.at(self.owner, "optimizer")

    def at(self, place: Place | None, op: str) -> Site | None:
        """Return an earlier line that is to blame for what happens here."""
        from ...vm.provenance.origin import locate

        where = locate(place)
        if where is None:
            return None
        return Site(
            op=op, dtype=self.dtype, place=place, location=where, phase="program"
        )

    @property
    def is_formula(self) -> bool:
        """True if the program computes there, forwards."""
        return self.phase in ("program", "forward")

    @property
    def is_own(self) -> bool:
        """True if the program's own lines compute there: not a backward pass, and no optimizer but its own."""
        return self.is_formula or (self.phase == "optimizer" and self.is_users)

    @property
    def is_users(self) -> bool:
        """True if an optimizer's line is written in the program, other than a call of torch's optimizer."""
        return self.library is None and self.location.function == "step"

    @property
    def dtype_name(self) -> str:
        """The dtype's name: float16, not torch.float16."""
        return str(self.dtype).removeprefix("torch.")

    def measure(self, added: float, error: float, elements: int) -> None:
        """Add a call's measurements."""
        self.calls += 1
        self.elements += elements
        self.total += added
        self.added = max(self.added, added)
        self.error = max(self.error, error)
