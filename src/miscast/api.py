"""One short function per feature: read this first.

>>> report = check(train_step, model, batch, machine="v100")
>>> report.findings[0].message
'linear mixes float32 `input` with float16 `weight`'
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NoReturn

from .core import machines
from .core.event import Trace
from .core.meeting import MultiRankTrace
from .judging.rules import known
from .report import Report
from .report.judged import judged
from .running.launching.entry import CannotRunError
from .running.program.following import follow
from .running.program.loading import shared
from .running.program.run import run_callable, run_program

if TYPE_CHECKING:
    from .box.job import Job as BoxJob, Writes
    from .box.network import Mode
    from .box.view import View
    from .fixing.trials.outcome import Outcome
    from .fixing.trials.warm import Warm
    from .vm.machine import VirtualMachine

__all__ = [
    "CannotRunError", "Where", "check", "check_boxed", "check_program", "chosen_machine", "explain", "shadow",
]  # fmt: skip

Where = Callable[[], str]
"""Tells the path of the module at work, "unet.mid_block.attentions.0"; empty outside of modules."""


def check(  # noqa: PLR0913 - what to call, and how
    fn: Callable[..., Any],
    *args: Any,
    machine: str | None = None,
    strict: bool = False,
    batches: int = 2,
    ranks: int = 0,
    numerics: bool = False,
    assume: Sequence[str] = (),
    **kwargs: Any,
) -> Report:
    """Run `fn(*args, **kwargs)` on a virtual machine and report its dtype, device and precision mistakes.

    `fn` is executed, so check only code you trust. An exception that it raises ends the run and is reported in
    `Report.ended`.

    Args:
        fn: The function to run, such as one training step.
        *args: Its positional arguments. Only the dtype, shape and device of real tensors are used.
        machine: The machine to simulate, such as "v100" or "4xa100". None takes the machine of the project's settings,
            else this computer's GPU, else an A100, as `miscast check` does.
        strict: Also report the mistakes that only autocast keeps from failing.
        batches: Cut data loaders with more than twice this many batches to this many.
        ranks: Run `fn` in this many processes, as `torchrun` does, and compare their collectives. `Report.result` is
            then None.
        numerics: Also follow the values of tensors, and report where torch loses precision silently.
        assume: The ranges of arguments of `fn` or of modules, such as `["pixels=-1:1"]`. Needs `numerics`.
        **kwargs: Its keyword arguments.

    Returns:
        The report. It is the sequence of its findings, and false if there are none.

    Raises:
        UnknownMachineError: `machine` is not known. The message lists the known machines.
        CannotRunError: torch is not installed, or the machine has fewer devices than there are ranks.
    """
    from .box.python import python_box

    choice = chosen_machine(machine, ranks=ranks)
    on, result = machines.virtual(choice.spec), None
    watch = functools.partial(follow, assume=assume) if numerics else None
    found: Trace | MultiRankTrace
    with python_box() as box:
        # fmt: off
        if ranks:
            from .running.distributed.run import call_ranks

            found = call_ranks(ranks, fn, args, kwargs, on, batches=batches, box=box, prepare=watch)
        else:
            found, result = run_callable(fn, args, kwargs, on, batches=batches, box=box, watch=watch)
        # fmt: on
    return judged(found, result, strict=strict, reason=choice.reason)


def check_program(  # noqa: PLR0913 - the options of `miscast check`
    target: str,
    args: Sequence[str] = (),
    *,
    machine: str | None = None,
    strict: bool = False,
    batches: int = 2,
    ranks: int = 0,
    writes: Writes = "box",
    network: Mode = "hub",
    numerics: bool = False,
    assume: Sequence[str] = (),
    watch: Callable[[Where], None] | None = None,
) -> Report:
    """Run a program as `miscast check` does, but in this process and its sandbox.

    The program is executed, so check only code you trust.

    Args:
        target: "script.py", "-m module" or "package.module:function".
        args: The arguments of the program.
        machine: As in `check`.
        strict: As in `check`.
        batches: As in `check`.
        ranks: Run the program as each rank of a job of this size. 0 runs it once.
        writes: "real" lets the program change files; "box" redirects what it writes.
        network: "hub" allows reading model hubs only, "open" everything, "offline" nothing.
        numerics: As in `check`.
        assume: As in `check`.
        watch: Called once when the run begins. Its argument is a function that returns the module being executed, or
            how far the ranks are. That function may be called from any thread.

    Returns:
        The report.

    Raises:
        UnknownMachineError: `machine` is not known.
        CannotRunError: There is nothing to run, or a rank would have no device.
    """
    from .box.python import python_box

    choice = chosen_machine(machine, target, ranks)
    on = machines.virtual(choice.spec)
    following = functools.partial(follow, assume=assume) if numerics else None
    found: Trace | MultiRankTrace

    def begin(vm: VirtualMachine) -> None:
        from .running.program.stack_samples import sampler

        if following is not None:
            following(vm)
        if watch is not None:
            watch(sampler())

    with python_box(files=writes == "box", network=network) as box:
        # fmt: off
        if ranks:
            from .running.distributed.run import run_ranks

            found = run_ranks(ranks, target, args, on, batches=batches, box=box, watch=watch, prepare=following)
        else:
            found = run_program(target, args, on, batches=batches, box=box, watch=begin)
        # fmt: on
    return judged(found, strict=strict, reason=choice.reason)


def chosen_machine(
    named: str | None, target: str = "", ranks: int = 0, option: str = "machine="
) -> machines.Choice:
    """Return the machine that is named, else as every command takes one (`machines.chosen`).

    Raises UnknownMachineError, and UnusableError for settings of the project that cannot be read.
    """
    project = None
    if named is None:
        from .suppression.settings import settings

        project = settings().machine
    return machines.chosen(named, project, target, ranks, option)


def check_boxed(  # noqa: PLR0913 - the options of `miscast check`
    job: BoxJob,
    view: View,
    *,
    strict: bool = False,
    partial: Callable[[Report], None] | None = None,
    meanwhile: Callable[[], object] = lambda: None,
    fixes: float | None = None,
    warm: Warm | None = None,
) -> Report:
    """Check a program in a process and a box of its own, which nothing that it does gets out of.

    The report comes however that process ends. `partial` gets what is known so far, each time that it is more, and
    again with each fix that is proven;
    `meanwhile` is done while the program starts. If `job` says so, fixes of what was found are tried, for at most
    `fixes` seconds if somebody says that, until a signal ends the check (`view.stopped`). Only in a process where
    `box.start.apart` holds, or a fork of a `warm` one. Raises as `check_program` does.
    """
    from .box.supervisor import handling, supervised
    from .box.turning import settled

    told = (
        None
        if partial is None
        else lambda trace: partial(judged(trace, strict=strict, advice=False))
    )
    machines.virtual(job.machine)

    def stop(number: int, _: object) -> None:
        view.stopped = number

    with handling(stop):  # what is known is judged and told all the same
        # for the program and for the trials of its fixes; a warm process has it
        load = shared if job.scenes and warm is None else lambda: None
        begin = time.monotonic()
        found = supervised(job, view, told, lambda: (known(), meanwhile()), load)
        took = time.monotonic() - begin
        job, found = settled(job, found, view, took)
        if warm is not None:
            warm.learn(job.machine, found.modules)
        report = judged(found, strict=strict)
        if partial is not None:
            partial(report)
        mendable = bool(job.scenes and found.modules)
        if view.stopped or (not (mendable and report.findings) and not job.also):
            return report
        from .fixing.trials.outcome import Outcome

        scenes = () if isinstance(found, MultiRankTrace) else found.scenes
        first = Outcome.of(report, scenes, took, found.modules)
        seconds = fixes if mendable else 0.0
        return _run_again(
            job,
            first,
            warm,
            view,
            strict=strict,
            seconds=seconds,
            told=partial or (lambda _: None),
        )


def _run_again(  # noqa: PLR0913 - what was run, and how to go on
    job: BoxJob,
    first: Outcome,
    warm: Warm | None,
    view: View,
    *,
    strict: bool,
    seconds: float | None,
    told: Callable[[Report], None],
) -> Report:
    """Return the report with fixes that are proven, unless `seconds` are 0, and what other arguments show."""
    from .box.supervisor import handling
    from .fixing.fixes import Job, advised
    from .fixing.fixes.other_arguments import with_others
    from .fixing.trials.remembered import Remembered

    def stop(number: int, _: object) -> NoReturn:
        view.stopped = number
        raise KeyboardInterrupt

    def tick() -> None:
        """Go on; or stop, where the interrupt was raised in code that catches all."""
        view.tick()
        if view.stopped:
            raise KeyboardInterrupt

    same = {one.name for one in fields(Job)} & {one.name for one in fields(job)}
    again = Job(strict=strict, **{name: getattr(job, name) for name in same})
    answers = Remembered() if warm is None else warm.answers
    report = first.report
    assert report is not None
    with handling(stop):
        if seconds != 0 and report.findings and not view.stopped:
            view.say("testing fixes")
            report = advised(
                again, first, told, seconds=seconds, tick=tick, known=answers
            )
        if job.also and not view.stopped:
            view.say("running with other arguments")
            first = replace(first, report=report)
            report = with_others(
                again, first, job.also, told, tick, seconds=seconds, known=answers
            )
    view.aside()
    return report


def shadow(
    fn: Callable[..., Any],
    *args: Any,
    against: str = "",
    steps: int = 0,
    modules: Sequence[str] = (),
    memory: int = 0,
    **kwargs: Any,
) -> Report:
    """Run `fn(*args, **kwargs)` for real, with each op repeated in float64, and report where precision is lost.

    The shadow does not change what `fn` computes, decides or returns, bit for bit. Exceptions of `fn` are not caught.

    Args:
        fn: The function to run, such as one training step.
        *args: Its positional arguments.
        against: A precision to compare with: "fp64", "fp32", "bf16" or "fp16". Each op is then computed as the program
            would in that precision, with the same seeds and batches, and the report says where the two diverge and by
            how much. "" compares with float64.
        steps: Stop looking after this many optimizer steps. 0 looks at all.
        modules: Patterns of module paths, such as `["unet.*norm*"]`. Only what runs in these modules is looked at.
        memory: The most bytes that the shadows of tensors may take. 0 takes half of the free memory. A tensor without
            a shadow counts as exact, and the report counts those.
        **kwargs: Its keyword arguments.

    Returns:
        The report. `Report.result` is what `fn` returned.
    """
    from .numbers.values import look

    looks = look(against, steps=steps, modules=tuple(modules), memory=memory)
    with looks.on():
        result = fn(*args, **kwargs)
    return replace(looks.report(), result=result)


def explain(error: str | BaseException) -> Report:
    """Explain the dtype, device and precision errors in a text or an exception. Nothing is executed.

    Args:
        error: A message, a traceback or a log; or an exception, which is explained with those that it was raised from.
            From an exception, the report also has the shapes of the tensors, the paths of parameters and, under
            `miscast run`, the lines that set their dtypes.

    Returns:
        The report, with one finding for each error. Errors of other kinds are left out.
    """
    if isinstance(error, str):
        from .explanation import explained

        return explained(error)
    from .live.exception import explained as of_exception

    return of_exception(error)
