"""A run that ends as soon as it has shown what was to be learnt from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..event import Call
    from .vm import VirtualMachine


def told_at_once(vm: VirtualMachine, tell: Callable[[Call], None]) -> None:
    """`tell` is called with each broken contract, the first time that it is met, in the middle of the run."""
    recorder = vm.recorder
    record = recorder.call

    def call(*args: Any, **kwargs: Any) -> None:
        known = len(recorder.calls())
        record(*args, **kwargs)
        met = recorder.calls()
        if len(met) > known:
            tell(met[-1])

    recorder.call = call  # type: ignore[method-assign] # for this run's recorder alone
