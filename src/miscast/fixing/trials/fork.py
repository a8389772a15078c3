"""Run a trial in a fork: one check of the program, in a sandbox, with changed files laid over its own."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from ...core.meeting import MultiRankTrace
from ...running.launching.entry import CannotRunError
from ...running.process.environment import put
from ...running.process.standard_input import again
from ...running.program.files_read import noted
from ...running.program.following import follow
from ...running.program.loading import loaded
from ...running.workers.forks import flush_streams, silence
from ...running.workers.lines import send
from .job import Job

if TYPE_CHECKING:
    from ...core.event import Trace
    from ...planning.fitting.virtual import Virtual
    from ...vm.machine import VirtualMachine
    from ...vm.outside import Outside


def run_trial(job: Job, request: dict[str, Any], answer: int, scratch: str) -> NoReturn:
    """Check the program with the changed files in a box, say what was found, and end without a trace."""
    from ...box.within import within

    try:
        again(request["input"])
        _spoken(request)
        if request.get("read"):  # from outside of the box, where it is read
            request["read"] = os.open(request["read"], os.O_WRONLY | os.O_APPEND)
        os.environ.update(job.environment)
        status, effects = within(lambda box: _boxed(job, request, answer, box), scratch)
        _end(answer, {"effects": effects}, status)
    except BaseException as error:  # noqa: BLE001 - a fork must not go on as its parent
        _end(answer, {"failed": f"{type(error).__name__}: {error}"})


def _spoken(request: dict[str, Any]) -> None:
    """Redirect what the program prints to stderr, to a file, or nowhere."""
    if request.get("loud"):
        os.dup2(2, 1)
    elif request.get("said"):
        file = os.open(request["said"], os.O_WRONLY | os.O_APPEND)
        os.dup2(file, 1)
        os.dup2(file, 2)
    else:
        silence(1, 2)


def _boxed(job: Job, request: dict[str, Any], answer: int, box: Outside) -> NoReturn:
    said: dict[str, Any] = {"failed": "the run was killed"}
    try:
        if "torch" not in sys.modules:
            loaded()
        said = _checked(job, request, box, lambda said: _end(answer, said))
        flush_streams()
    except CannotRunError as error:
        said = {"cannot": str(error)}
    except BaseException as error:  # noqa: BLE001 - a fork must not go on as its parent
        said = {"failed": f"{type(error).__name__}: {error}"}
    finally:
        _end(answer, said)


_EXIT = os._exit  # the program's is patched while it runs


def _end(answer: int, said: dict[str, Any], status: int = 0) -> NoReturn:
    """Say this, and end, as a process that ended so."""
    send(answer, said)
    if os.WIFSIGNALED(status):
        if os.WTERMSIG(status) != signal.SIGKILL:
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    _EXIT(os.waitstatus_to_exitcode(status))


def _checked(
    job: Job,
    request: dict[str, Any],
    box: Outside,
    end: Callable[[dict[str, Any]], NoReturn],
) -> dict[str, Any]:
    from ...box.furnished import Furnished
    from ...report.judged import judged
    from ...running.program.source_overlay import overlaid
    from ...running.program.warm_process import libraries
    from ...vm.provenance.origin import own
    from .watched import Watched

    if job.measured is not None:
        from ...planning.fitting.real import measured

        return measured(job.target, job.args, box, job.measured)
    watched = Watched(job, request, end)

    fitted = _fitted(job)

    def begin(vm: VirtualMachine) -> None:
        vm.every_step = job.steps == "all"
        vm.dispatcher.values.answers.turned = frozenset(job.turned)
        if job.numerics:
            follow(vm, assume=job.assume)
        if fitted is not None:
            fitted.begin(vm)
        watched.begin(vm)

    files = _bytes(request["files"])
    written = _bytes(request.get("written", {}))
    box = Furnished(box, written) if written else box
    own(job.edit)
    if request.get("read"):
        noted(request["read"])
    with overlaid(files):
        found = _all_ranks(job, box) if job.ranks else _ran(job, box, begin)
    report = judged(found, strict=job.strict, advice=False)
    several = isinstance(found, MultiRankTrace)
    modules = found.modules if several else libraries()
    told = {} if fitted is None else {"fitted": fitted.shown()}
    return {"report": report.to_json(), "modules": modules, **watched.shown(), **told}


def _fitted(job: Job) -> Virtual | None:
    if job.fitted is None:
        return None
    from ...planning.fitting.virtual import Virtual

    return Virtual(job.fitted)


def _bytes(texts: Mapping[str, str]) -> dict[str, bytes]:
    return {path: text.encode("latin-1") for path, text in texts.items()}


def _all_ranks(job: Job, box: Outside) -> MultiRankTrace:
    """Run the program as all ranks of a job, each to its end; the report follows when all have ended."""
    from ...core import machines
    from ...running.distributed.run import run_ranks

    return run_ranks(
        job.ranks,
        job.target,
        job.args,
        machines.find(job.machine),
        batches=job.batches,
        box=box,
        reach=job.reach,
        samples=job.samples,
        prepare=partial(follow, assume=job.assume) if job.numerics else None,
    )


def _ran(
    job: Job, box: Outside, watch: Callable[[VirtualMachine], None]
) -> Trace | MultiRankTrace:
    """Return the program; of one that starts others, the first of these, or all that it starts as ranks."""
    from ...core import machines
    from ...running.launching.command_line import Launching, starts_others, typed
    from ...running.launching.torchrun import as_first
    from ...running.program.run import run_program

    program = typed(job.target, job.args)
    while True:
        follow = starts_others(program.target)
        try:
            return run_program(
                program.target,
                program.args,
                machines.find(job.machine),
                batches=job.batches,
                box=box,
                watch=watch,
                follow=follow,
                reach=job.reach,
                samples=job.samples,
            )
        except Launching as start:
            launch = start.launch
            if launch.ranks > 1 and job.fitted is None:
                put(launch.environment)
                started = launch.program
                return _all_ranks(
                    replace(
                        job,
                        target=started.target,
                        args=started.args,
                        ranks=launch.ranks,
                    ),
                    box,
                )
            program = as_first(launch)
