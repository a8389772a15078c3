"""Looks at the result of every op of a step, forward and backward, and says which were not finite, and why.

What it sees are torch's own ops, below autograd, so composite functions show their parts. What an op of the backward
pass belongs to is told by its node's number, which counts up as nodes are made: the op that was called with a number
is the one whose backward pass has it.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, NamedTuple

import torch
from torch.autograd import graph

from ..running.torch_abi import DispatchMode, next_node, node_at_work, tree_leaves
from ..vm.provenance.module_paths import CALL
from ..vm.provenance.origin import TORCH, Place, kind_of, locate, places
from .finite import counts, is_finite
from .flow import Event, Flow, Role
from .op_call import Given, given, has_infinite_number, is_view, operands
from .origins import Origins
from .trip import Producer

_UNWRITTEN = frozenset({
    "empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided", "resize_",
})  # fmt: skip
_WRITERS = frozenset({
    "constant_pad_nd", "fill", "fill_", "full", "full_like", "index_fill", "index_fill_", "masked_fill",
    "masked_fill_", "new_full", "scalar_tensor", "scatter", "scatter_", "where",
})  # fmt: skip
"""Ops that write a number which they are given: an infinite one is meant."""
_BACKWARD = graph._engine_run_backward.__code__


class Line(NamedTuple):
    """The line of an op's call."""

    user: Place | None
    library: Place | None
    module: str


class Probe(DispatchMode):
    """While it is on, every op is watched. `flow` has what came of it, `ops` how many there were."""

    def __init__(self, origins: Origins) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.origins = origins
        self.flow = Flow()
        self.ops = 0
        self._lines: dict[int, Line] = {}

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # else torch wraps every call below in 100 µs of Dynamo's, which sees none of a program that runs as Python
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        del types
        kwargs = kwargs or {}
        self.ops += 1
        if node_at_work() is None:
            self._lines.setdefault(next_node() - 1, self._line(sys._getframe(1)))
        if is_view(func._schema):
            return func(*args, **kwargs)
        tensors = given(func, args, kwargs)
        result = func(*args, **kwargs)
        results = {id(t): t for t in filter(torch.is_tensor, tree_leaves(result))}
        results |= {id(one.tensor): one.tensor for one in tensors if one.written}
        bad = []
        for one in results.values():
            if is_finite(one.detach()):
                self.flow.mended(one)
            else:
                bad.append(one.detach())
        if bad:
            wrote = has_infinite_number(args, kwargs)
            self._note(func._schema.name.partition("::")[2], tensors, bad, wrote=wrote)
        return result

    def _note(
        self, name: str, tensors: list[Given], bad: list[torch.Tensor], *, wrote: bool
    ) -> None:
        made = [counts(one) for one in bad]
        nan, positive, negative = (sum(one[i] for one in made) for i in range(3))
        parents = self._parents(tensors)
        event = Event(
            index=self.ops,
            role=_role(name, parents, nan=bool(nan), wrote=wrote),
            op=name,
            parents=tuple(parents),
        )
        if event.role == "producer":
            node = node_at_work()
            line, passing = self._place(node, sys._getframe(2))
            event.told = Producer(
                op=name,
                node=type(node).__name__ if passing else "",
                location=locate(line.user, line.module or None),
                library=locate(line.library),
                module=line.module,
                operands=operands(tensors, bad[0]),
                dtype=str(bad[0].dtype)[6:],
                nan=nan,
                positive=positive,
                negative=negative,
            )
        self.flow.note(event, bad)

    def _parents(self, tensors: list[Given]) -> list[Event]:
        """Return what wrote the operands that are not finite."""
        found = []
        for one in tensors:
            if one.value is None or is_finite(one.value.detach()):
                continue
            event = self.flow.of(one.tensor) or self._came(one)
            if event not in found:
                found.append(event)
        return found

    def _came(self, one: Given) -> Event:
        """Record a non-finite tensor that came into the step: infinities are intended, except in a parameter."""
        assert one.value is not None
        name, trained = self.origins.tensor(one.tensor)
        nan, positive, negative = counts(one.value.detach())
        event = Event(
            index=self.ops, role="producer" if nan or trained else "meant", op=""
        )
        event.told = Producer(
            op="", tensor=name, nan=nan, positive=positive, negative=negative
        )
        self.flow.note(event, [one.tensor])
        return event

    def _line(self, frame: FrameType) -> Line:
        user, library = places(frame)
        here: FrameType | None = frame
        while here is not None:
            if here.f_code is CALL:
                name = self.origins.module(here.f_locals.get("self"))
                if name is not None:
                    return Line(user, library, name)
            here = here.f_back
        return Line(user, library, "")

    def _place(self, node: Any, frame: FrameType) -> tuple[Line, bool]:
        """Return the line an op belongs to, and whether its backward pass is running."""
        if node is None or _is_in_python(frame):
            return self._line(frame), False
        known = self._lines.get(node._sequence_nr())
        return known or Line(None, None, ""), True


def _is_in_python(frame: FrameType | None) -> bool:
    """Check whether Python code of the program's or a library's is at work within the backward pass."""
    while frame is not None and frame.f_code is not _BACKWARD:
        if kind_of(frame.f_code) != TORCH:
            return True
        frame = frame.f_back
    return False


def _role(name: str, parents: list[Event], *, nan: bool, wrote: bool) -> Role:
    if name in _UNWRITTEN:
        return "unwritten"
    if any(one.role != "meant" for one in parents):
        return "carrier"
    if parents:
        return "producer" if nan else "meant"
    return "meant" if wrote and name in _WRITERS and not nan else "producer"
