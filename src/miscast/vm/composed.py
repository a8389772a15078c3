"""Composite ops that are judged as a whole, and run with an eye on the memory of what they make within.

A matrix product copies its operands where it must, a cross entropy computes a log softmax: autograd keeps such results,
and no op of the program has them as its own. They are counted, and not looked at otherwise.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..running.torch_abi import OwnKeys
from .fused_kernels import fused
from .key import KEY, KEYSET, Exclude
from .schema import COMPOSITE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..core.machines import Machine
    from .call import Call
    from .memory import Memory
    from .schema import Args, Kwargs, Plan

_KEEPS = frozenset({"dropout", "feature_dropout"})
"""Ops of `schema._FLAT` that make what autograd keeps, beside their result."""


class Composed(threading.local):
    """The thread's composite ops. `depth` above 0 means that a composite op issues the incoming ops."""

    depth = 0
    attended: Callable[[Call], None] | None = None

    def __init__(
        self, machine: Machine, memory: Memory, plan: Callable[[Any], Plan]
    ) -> None:
        """Start outside any composite op; `plan` looks up an op's plan."""
        self._machine = machine
        self._memory = memory
        self._plan = plan

    def run(self, call: Call) -> Any:
        """Return the result of a call, by the kernel that CUDA has for it or by the op's parts."""
        if self.attended is not None and call.is_attention:
            self.attended(call)
        made = fused(call, self._machine)
        if made is not None:
            self._memory.count(call.plan, made)
            self._memory.metered(call.plan, call.args, call.kwargs, made)
            return made[0]
        if not (call.plan.composite or call.plan.short in _KEEPS):
            out = call.plan.op(*call.args, **call.kwargs)
            self._memory.metered(call.plan, call.args, call.kwargs, out)
            return out
        with self.at(1), OwnKeys(KEY, False):
            return call.plan.op._op_dk(COMPOSITE, *call.args, **call.kwargs)

    def inner(self, op: Any, args: Args, kwargs: Kwargs) -> Any:
        """Return the result of an op within."""
        plan = self._plan(op)
        if plan.composite:
            return op._op_dk(COMPOSITE, *args, **kwargs)
        with Exclude(KEYSET):
            out = op(*args, **kwargs)
            self._memory.count(plan, out)
            self._memory.metered(plan, args, kwargs, out)
        return out

    @contextmanager
    def at(self, depth: int) -> Iterator[None]:
        """Keep the nesting depth at `depth` within the block; 0 marks the program's own ops."""
        before, self.depth = self.depth, depth
        try:
            yield
        finally:
            self.depth = before
