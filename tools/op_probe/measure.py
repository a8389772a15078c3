"""All that is asked of one kind of call, and its answers."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import torch

from miscast.running.torch_abi import has_kernel
from miscast.torch_facts.contracts.signature import LETTERS

from .call import Call, dtype_name, token_after
from .casting import cast, filled
from .outcome import Caller, Outcome
from .variations import Change, pairs, singles, together, without_dimensions

TRIES = 3
"""A signature is tried with at most that many samples."""
BROADCAST = 2
"""Calls with more arguments than that have no pairs changed while one of them is cut to a number."""
AUTOCAST = ("float16", "bfloat16")
CASTS = frozenset({"float16", "bfloat16", "float32"})
"""The dtypes autocast casts."""

Answer = tuple[str, str, str, str]
"""(which, autocast dtype, outcome, signature); which: "runs", "raises", "backward", "gradients", "moved runs", …"""


class Measurement:
    """The answers of one op with one set of operands; a signature that was tried often enough is not tried again."""

    def __init__(self, caller: Caller) -> None:
        """Take the `caller` that makes the calls."""
        self.caller = caller
        self.answers: dict[Answer, None] = {}
        self.tries: Counter[str] = Counter()

    def sample(self, call: Call) -> None:
        """Measure everything with one call; does nothing if the unchanged call fails."""
        if not self._vary(call, _changes(call), gradients=True):
            return
        for dtype in AUTOCAST:
            self._autocast(call, dtype)
        if self.caller.device != "cpu":
            self._move(call)
        for cut in without_dimensions(call):
            self._vary(
                cut,
                _changes(cut, paired=len(cut.operands) <= BROADCAST),
                gradients=False,
            )

    def _vary(
        self, call: Call, changes: Iterator[tuple[Change, int]], *, gradients: bool
    ) -> bool:
        """Try all changes, each up to its number of tries. Returns whether the unchanged call runs."""
        if self.caller.forward(call, call.values).error is not None:
            return False
        derived = gradients and self._derivable(call)
        changed = _Changed(call)
        for change, tries in changes:
            signature = changed.signature(change)
            if self.tries[signature] >= tries:
                continue
            values = changed.values(change)
            if values is None:
                continue
            self.tries[signature] += 1
            outcome = self._settled(call, values, change)
            if outcome is None:
                continue
            self._note(outcome, signature)
            if outcome.error is None and derived and self.tries[signature] == 1:
                self._derive(call, values, signature)
        return True

    def _note(self, outcome: Outcome, signature: str, autocast: str = "") -> None:
        which = "runs" if outcome.error is None else "raises"
        self.answers[which, autocast, outcome.error or outcome.result, signature] = None

    def _settled(
        self, call: Call, values: Sequence[Any], change: Change
    ) -> Outcome | None:
        """Return what the call says of the dtypes; None where it speaks of the values, also with others."""
        outcome = self.caller.forward(call, values)
        for number in (1, 0):
            if not outcome.about_values:
                return outcome
            others = [
                filled(v, number) if i in change else v for i, v in enumerate(values)
            ]
            outcome = self.caller.forward(call, others)
        return None if outcome.about_values else outcome

    def _derivable(self, call: Call) -> bool:
        """Check whether the unchanged call has a working backward pass."""
        if "backward" in call.form.name or call.form.written - {"self"}:
            return False
        outcome = self.caller.backward(call, call.values)
        return outcome is not None and outcome.error is None

    def _derive(self, call: Call, values: Sequence[Any], signature: str) -> None:
        outcome = self.caller.backward(call, values)
        if outcome is None or outcome.about_values:
            return
        if outcome.error is not None:
            self.answers["backward", "", outcome.error, signature] = None
            return
        own = [
            LETTERS.get(dtype_name(v.dtype), "-")
            if isinstance(v, torch.Tensor)
            else "-"
            for v in values
        ]
        if any(
            got not in (mine, "-")
            for got, mine in zip(outcome.result, own, strict=True)
        ):
            self.answers["gradients", "", outcome.result, signature] = None

    def _autocast(self, call: Call, dtype: str) -> None:
        """Measure the call and its single changes under autocast, if autocast makes a difference."""
        changed = _Changed(call)
        if not self._autocast_concerns(call, changed, dtype):
            return
        for change in chain(({},), singles(call)):
            signature = changed.signature(change)
            values = None
            if not self.tries[f"{dtype} {signature}"]:
                values = changed.values(change)
            if values is None:
                continue
            self.tries[f"{dtype} {signature}"] += 1
            with torch.autocast(
                self.caller.device, dtype=getattr(torch, dtype), cache_enabled=False
            ):
                outcome = self._settled(call, values, change)
            if outcome is not None and self._differs(outcome, signature):
                self._note(outcome, signature, dtype)

    def _autocast_concerns(self, call: Call, changed: _Changed, dtype: str) -> bool:
        """Check whether autocast has a rule for the op, or changes the outcome through an inner op's."""
        if not any(
            isinstance(v, torch.Tensor) and dtype_name(v.dtype) in CASTS
            for v in call.values
        ):
            return False
        if has_kernel(call.form.op.name(), f"Autocast{self.caller.device.upper()}"):
            return True
        with torch.autocast(
            self.caller.device, dtype=getattr(torch, dtype), cache_enabled=False
        ):
            outcome = self.caller.forward(call, call.values)
        return self._differs(outcome, changed.signature({}))

    def _differs(self, outcome: Outcome, signature: str) -> bool:
        which = "runs" if outcome.error is None else "raises"
        key = which, "", outcome.error or outcome.result, signature
        return key not in self.answers

    def _move(self, call: Call) -> None:
        """Move one operand at a time to the CPU."""
        tensors = [
            i for i, value in enumerate(call.values) if isinstance(value, torch.Tensor)
        ]
        for i in tensors:
            slot, value = call.slots[i], call.values[i]
            if (slot.item or 0) > 1:
                continue
            outcome = self.caller.forward(
                call, [*call.values[:i], value.cpu(), *call.values[i + 1 :]]
            )
            if not outcome.about_values:
                which = "moved runs" if outcome.error is None else "moved raises"
                name = slot.name + ("" if value.dim() else "0")
                self.answers[which, "", outcome.error or "", name] = None


def _changes(call: Call, *, paired: bool = True) -> Iterator[tuple[Change, int]]:
    """Yield what to try, and how often its signature may be tried."""
    for change in chain(({},), singles(call), together(call)):
        yield change, TRIES
    for change in pairs(call) if paired else ():
        yield change, 1


class _Changed:
    """A call's operands after changes; each is cast once."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self._tokens = call.tokens()
        self._cast: dict[tuple[int, Any], Any] = {}

    def signature(self, change: Change) -> str:
        tokens = list(self._tokens)
        for i, to in change.items():
            tokens[i] = token_after(self.call.values[i], to)
        return self.call.signature(tokens)

    def values(self, change: Change) -> list[Any] | None:
        """Return the operands; None if one of them cannot be made."""
        values = list(self.call.values)
        for i, to in change.items():
            key = (i, to)
            if key not in self._cast:
                self._cast[key] = None
                # the device or this torch has no such conversion
                with contextlib.suppress(Exception):
                    self._cast[key] = cast(values[i], to)
            if self._cast[key] is None:
                return None
            values[i] = self._cast[key]
        return values
