"""Run a script, a module or a callable on a virtual machine, whatever it does to itself."""

from __future__ import annotations

import math
import os
import sys
import traceback
import warnings
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ...core.event import SAMPLES, Effect, Memory, Precision, Stage, TensorMeta, Trace
from ...core.failure import Failures, spelled, whole
from ...vm.nesting import NestedError
from ...vm.provenance.on_behalf import theirs
from ..launching.command_line import Launching
from ..launching.entry import CannotRunError, as_main, command, starter
from ..launching.notebook import Notebook

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from ...core.machines import Machine
    from ...vm.machine import VirtualMachine
    from ...vm.outside import Outside


def without_torch(error: ImportError) -> CannotRunError:
    """Return the error for torch that cannot be imported."""
    return CannotRunError(
        f"torch, which is needed to run a program, cannot be imported: {error}"
    )


def hushed() -> None:
    """Let no warning appear that comes of Miscast: of its own lines, of meta kernels, of a torch without NumPy.

    What torch says of a region that it switches off is the program's.
    """
    warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
    warnings.filterwarnings(
        "ignore",
        message="(?!.*autocast)",
        module=r"miscast\.|torch\._(prims|refs|meta|decomp)",
    )


_MEANT = (CannotRunError, NestedError)
"""Exceptions that the caller receives."""


def run_program(  # noqa: PLR0913 - what to run, and how
    target: str,
    args: Sequence[str],
    machine: Machine,
    *,
    batches: int = 2,
    box: Outside | None = None,
    watch: Callable[[VirtualMachine], None] | None = None,
    follow: bool = False,
    reach: float = 0.0,
    samples: int = SAMPLES,
    end: float = math.inf,
) -> Trace:
    """Run `script.py`, `-m module` (as "-m module") or `package.module:function`, with `args` as its own.

    Returns the trace also when the program fails, exits or is interrupted: `Trace.ended` says in one line how. Raises
    CannotRunError when there is nothing to run. `follow`: the target is one that `starts_others`, and `Launching` is
    raised where it would start a program in a process of its own. `reach`: times as long as the run took may what it
    left be forced (1: only told; 0: not even that), and not behind `end`, by the clock `time.monotonic`; so
    many `samples` of a data set are loaded then for those that are of another kind than the first.
    """
    failures, start = Failures(), None
    with failures.during("it loaded the program", but=_MEANT):
        start = (
            command(target)
            if follow and not target.startswith("-m ")
            else starter(target)
        )
    if start is None:
        return _not_begun(machine, failures)

    def run(vm: VirtualMachine) -> None:
        for note in start.notes() if isinstance(start, Notebook) else ():
            vm.recorder.note(note)
        guarded = partial(_guarded, vm, start)
        begin: Callable[[], object] = guarded
        if reach or (not vm.every_step and sys.version_info >= (3, 11)):
            # while the system's fork is not yet patched
            from ...vm.reach.run import reached

            begin = partial(reached, vm, reach, guarded, samples=samples, end=end)
        with as_main(target, args), vm.on(), _launching() if follow else nullcontext():
            begin()

    return _traced(machine, batches, box, watch, run)


def run_callable(  # noqa: PLR0913 - those of `fn`, and how to run it
    fn: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    machine: Machine,
    *,
    batches: int = 2,
    box: Outside | None = None,
    watch: Callable[[VirtualMachine], None] | None = None,
) -> tuple[Trace, Any]:
    """Call `fn` on a virtual machine. Returns the trace, and what it returned with tensors as `TensorMeta`."""
    result: list[Any] = [None]

    def run(vm: VirtualMachine) -> None:
        from ...vm.existing_modules import borrowed
        from ..process.cleanup import Steps

        def call() -> None:
            given, named = _virtual(args), _virtual(kwargs)
            vm.numerics.assumptions.arguments(fn, given, named)
            result[0] = describe(theirs(fn, *given, **named))

        with vm.on(), Steps(vm.recorder.failures) as steps:
            steps.enter(borrowed(), "it restored models and optimizers")
            _guarded(vm, call)

    return _traced(machine, batches, box, watch, run), result[0]


def _traced(
    machine: Machine,
    batches: int,
    box: Outside | None,
    watch: Callable[[VirtualMachine], None] | None,
    run: Callable[[VirtualMachine], None],
) -> Trace:
    """Return the trace of a run, whatever fails around it.

    Raises CannotRunError, and RuntimeError where checks would nest.
    """
    failures = Failures()
    vm = None
    with failures.during("it built the machine", but=_MEANT):
        vm = virtual_machine(machine, batches, box)
        failures = vm.recorder.failures
        if watch is not None:
            watch(vm)
    if vm is None:
        return _not_begun(machine, failures)
    if failures.line is None:
        with failures.during("it entered or left the machine", but=_MEANT):
            run(vm)
    return gathered(vm)


def _not_begun(machine: Machine, failures: Failures) -> Trace:
    return Trace(
        machine=machine.spec,
        torch=_release(),
        failed=failures.line,
        traceback=failures.traceback,
    )


def gathered(vm: VirtualMachine) -> Trace:
    """Return all that was seen so far, even if parts of it cannot be reported."""
    failures = vm.recorder.failures
    memory: tuple[Memory, ...] = ()
    effects: tuple[Effect, ...] = ()
    if vm.box is not None:
        with failures.during("it listed the sandbox's files"):
            effects = vm.box.effects()
    with failures.during("it reported memory"):
        memory = vm.memory.seen()
    precision: tuple[Precision, ...] = ()
    stages: tuple[Stage, ...] = ()
    with failures.during("it reported precision"):
        from ..precision.table import table
        from ..precision.tree import tree

        if not vm.observed.guard.lost:
            precision, stages = table(vm.observed), tree(vm.observed)
    failures.forget()
    with failures.during("it collected the results"):
        trace = vm.recorder.trace(memory)
        return replace(
            trace,
            effects=(*effects, *trace.effects),
            precision=precision,
            stages=stages,
            notes=(*_untrained(vm), *trace.notes),
        )
    return Trace(
        machine=vm.machine.spec,
        torch=_release(),
        calls=vm.recorder.calls(),
        ended=vm.recorder.ended,
        failed=failures.line,
        traceback=failures.traceback,
    )


def _untrained(vm: VirtualMachine) -> tuple[str, ...]:
    """Return a note on a run that ended normally and trained nothing, though it created an optimizer."""
    from ...vm.provenance.origin import locate

    made = vm.numerics.training.untrained
    if made is None or vm.recorder.ended:
        return ()
    at = locate(made[0])
    where = f" at {os.path.basename(at.file)}:{at.line}" if at else ""
    said = f"nothing was trained: an optimizer was created{where}, but no backward pass or step followed"
    return (f"{said} (as when a run resumes after its last epoch)",)


def _release() -> str:
    return str(getattr(sys.modules.get("torch"), "__version__", ""))


def virtual_machine(
    machine: Machine, batches: int = 2, box: Outside | None = None
) -> VirtualMachine:
    """Return a virtual machine that is off. Raises CannotRunError where torch cannot be imported."""
    try:
        from ...vm.machine import VirtualMachine
    except ImportError as error:
        raise without_torch(error) from error
    return VirtualMachine(machine, batches, box)


def _launching() -> AbstractContextManager[None]:
    from ..launching.launchers import launching

    return launching()


def _guarded(vm: VirtualMachine, start: Callable[[], Any]) -> bool:
    """Run, and turn every way in which a program can end into one line. Returns whether it was interrupted."""
    owner, interrupted = os.getpid(), False
    hushed()
    try:
        start()
    except SystemExit as exit_:
        if os.getpid() != owner:
            vm.over(exit_)
            os._exit(exit_.code if isinstance(exit_.code, int) else 1)
        if exit_.code not in (None, 0):
            vm.recorder.ended = (
                f"the program exited with {exit_.code!r}{at_user_line(exit_)}"
            )
    except KeyboardInterrupt as error:
        interrupted = True
        vm.recorder.ended = f"the program was interrupted{at_user_line(error)}"
    except Launching:
        raise
    except BaseException as error:  # noqa: BLE001 - a program may raise anything; it is reported, not swallowed
        if os.getpid() != owner:
            vm.over(error)
            traceback.print_exc()
            os._exit(1)
        _ended(vm, error)
    if os.getpid() != owner:
        vm.over(None)
        # a child that the program forked and let run on: the report is the parent's
        os._exit(0)
    return interrupted


def _ended(vm: VirtualMachine, error: BaseException) -> None:
    """Record the program's exception, or Miscast's own, which ends the program all the same."""
    from ...vm.files.hub_files import advice
    from ...vm.judging import op_errors
    from ...vm.provenance.whose_failure import is_miscasts, own

    failures = vm.recorder.failures
    with failures.during("it reported how the program ended"):
        if isinstance(error, Exception) and is_miscasts(error):
            vm.recorder.met(error)
            vm.recorder.ended = "the program did not finish: Miscast failed"
        else:
            vm.recorder.ending = whole(error, own(error))
            vm.recorder.ended = _story(error)
            op_errors.ending(vm.recorder, error)
            if told := advice(error):
                vm.recorder.note(told)
    failures.forget()
    if vm.recorder.ended is None:
        vm.recorder.ended = f"the program raised {spelled(error)}"


def _story(error: BaseException) -> str:
    """Return one line: what was raised, and at which line of the user's code."""
    text = spelled(error)
    return f"the program raised {text}{at_user_line(error)}"[:500]


def at_user_line(error: BaseException) -> str:
    """Return the user's innermost line in words: " at train.py:12"."""
    from ...vm.provenance.origin import USER, kind_of

    where = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        if kind_of(frame.f_code) == USER:
            where = f" at {frame.f_code.co_filename}:{line}"
    return where


def _virtual(tree: Any) -> Any:
    """Return arguments with virtual tensors in place of real ones, with their dtype, shape and device."""
    from ...vm.key import KEYSET, Exclude
    from ...vm.provenance.record import is_tensor
    from ...vm.virtualize import virtualize

    if is_tensor(tree):
        with Exclude(KEYSET):
            return virtualize(tree, op="argument", kind="given", own=False)
    if type(tree) in (list, tuple):
        return type(tree)(_virtual(v) for v in tree)
    if type(tree) is dict:
        return {k: _virtual(v) for k, v in tree.items()}
    return tree


def describe(tree: Any) -> Any:
    """Return a result with its tensors as plain data."""
    from ...vm.provenance.record import find, is_tensor, shape_of

    if is_tensor(tree):
        record = find(tree)
        device = tree.device
        if record is not None and record.device is not None:
            device = record.device
        return TensorMeta(
            dtype=str(tree.dtype)[6:], device=str(device), shape=shape_of(tree)
        )
    if isinstance(tree, dict):
        return {k: describe(v) for k, v in tree.items()}
    if isinstance(tree, (list, tuple)):
        parts = map(describe, tree)
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return tree
