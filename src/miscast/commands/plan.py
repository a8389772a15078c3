"""Find a precision for each model of a program that fits a machine, with its memory, time and error.

  $ miscast plan --machine rtx4090 train.py --size real
    candidate                              memory   forecast    error
  · float32                             19.98 GiB     259 ms        -
  → unet bf16-mixed, vae bf16-true      18.40 GiB     171 ms        -

Each candidate (a precision per model) is run on the virtual machine. Its memory is counted; its time per step is a
forecast from the machine's data sheet. With --measure, the program is also run for real with the given arguments, and
each candidate's training losses are compared with those in float32. The program is executed, in a sandbox: only use it
on code that you trust.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING

from .program import add_target, alike, machine, required, startable, target
from .refusal import (
    RefusedError,
    batches,
    named,
    positive,
    ranks,
    seconds,
    size,
    words,
    writable,
)
from .telling import add_format, known_format, tell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.machines import Machine
    from ..planning.linted import Read
    from ..planning.search import Search
    from ..report import Report

USAGE = "miscast plan [OPTIONS] TARGET [ARGS…]"
_SHARE = 0.9
"""Usable share of a device's memory. The driver, libraries and fragmentation take the rest."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: what must hold, how it is tried, and what is done with the plan."""
    # fmt: off
    parser.add_argument("--machine", type=named, metavar="M", help="rtx4090, 8xa100, …; see 'miscast machines'")
    parser.add_argument("--memory", type=size, metavar="SIZE",
        help="memory budget, such as 20G (default: 90 %% of the device)")
    parser.add_argument("--error", type=_error, default=1e-2, metavar="E",
        help="largest relative difference of the losses from float32 (default: 1e-2)")
    parser.add_argument("--keep", action="append", default=[], metavar="NAME=P",
        help="fix a model's precision: vae=float32, unet=bf16-mixed")
    parser.add_argument("--measure", type=words, metavar="ARGS",
        help="run it for real with these arguments, at a small size: --measure '--size tiny'")
    parser.add_argument("--seeds", type=positive, default=2, metavar="N", help="real runs per error (default: 2)")
    parser.add_argument("--real-steps", type=positive, default=8, metavar="N",
        help="optimizer steps in each real run (default: 8)")
    parser.add_argument("--ranks", type=ranks, default=1, metavar="N",
        help="also try FSDP2 over N ranks; memory is that of one rank")
    parser.add_argument("--steps", type=positive, default=2, metavar="N",
        help="optimizer steps on the virtual machine (default: 2)")
    parser.add_argument("--batches", type=batches, default=2, metavar="N",
        help="limit long data loaders to N batches (default: 2)")
    parser.add_argument("--time-limit", type=seconds, metavar="S", help="stop trying candidates after S seconds")
    parser.add_argument("--apply", type=named, metavar="FILE",
        help="write the policy to FILE as TOML; FILE must not exist")
    # fmt: on
    add_format(parser)
    add_target(parser)


def run(options: argparse.Namespace) -> int:
    """Return 0 if there is a plan, 1 if nothing fits; KeyboardInterrupt, after the report, if interrupted."""
    from ..core import machines
    from ..report.outlet import outlet
    from ..running.launching.entry import CannotRunError
    from ..running.process.standard_input import kept

    required(options, "plan")
    known_format(options)
    writable(options.output)
    _free(options.apply)
    keeps = _kept(options.keep)
    try:
        found = machines.virtual(machine(options).spec)
        startable(target(options), options.args)
        kept()
        with outlet(alone=options.format != "text" and not options.output) as stream:
            search = _searched(options, found, keeps)
            report = _report(found, search)
            tell(report, options, stream)
    except (CannotRunError, ValueError) as error:
        raise RefusedError(error) from error
    if search.chosen is not None and options.apply:
        _write(options.apply, search.chosen.candidate.policy().to_toml())
    if search.stopped == "interrupted":
        raise KeyboardInterrupt
    return int(search.chosen is None)


def _searched(
    options: argparse.Namespace, found: Machine, keeps: dict[str, str]
) -> Search:
    from ..core.progress import Ticking
    from ..fixing.trials.job import Job
    from ..planning.point import UNLIMITED, Budget
    from ..planning.search import Search
    from ..planning.trying import Options, Trying

    job = Job(
        target=target(options),
        args=options.args,
        machine=found.spec,
        strict=False,
        batches=options.batches,
    )
    wanted = Options(**alike(options, Options))
    limit = options.time_limit
    with Ticking(sys.stderr) as line:

        def tick(text: str) -> None:
            line.say(text)
            line.tick()

        search = Search(
            trying=Trying(job, wanted, tick),
            budget=Budget(
                memory=options.memory or int(found.memory * _SHARE) or UNLIMITED,
                error=options.error,
            ),
            machine=found,
            kept=keeps,
            ranks=options.ranks,
            end=None if limit is None else time.monotonic() + limit,
        )
        search.run()
    return search


def _report(found: Machine, search: Search) -> Report:
    from ..planning.linted import linted
    from ..planning.section import Plan
    from ..report import Report

    trying, chosen = search.trying, search.chosen
    unknown = set(search.kept) - {one["name"] for one in trying.components}
    if unknown and trying.components:
        names = ", ".join(one["name"] for one in trying.components)
        raise RefusedError(f"--keep {min(unknown)}: the program's models are {names}")
    peak = found.peak
    read = linted(chosen.candidate, trying.components, found.spec) if chosen else {}
    section = Plan(
        machine=found.spec,
        capacity=found.memory,
        budget=search.budget,
        measured=not trying.unmeasured,
        components=trying.components,
        points=tuple(trying.points.values()),
        chosen=chosen,
        nearest=search.nearest,
        rates=peak.source if peak is not None else "",
        settings={name: one.settings for name, one in read.items()},
        scaler=trying.scaler,
        proof=_proof(search, read),
        notes=tuple(_notes(search, found)),
    )
    return Report(
        command="plan",
        machine=found.spec,
        torch=trying.first.torch if trying.first else "",
        sections=(section,),
        notes=tuple(section.notes),
        ops=trying.first.ops if trying.first else 0,
    )


def _proof(search: Search, read: Mapping[str, Read]) -> str:
    """Return what was checked of the plan once more."""
    if not search.proven or search.chosen is None:
        return ""
    told = [f"{name}: {said}" for name, one in read.items() for said in one.findings]
    files = [name for name, one in read.items() if one.written]
    said = "a check with --numerics finds nothing new compared with float32"
    if told:
        return f"{said}; lint: {'; '.join(told)}"
    return f"{said}; lint finds nothing in its settings for {', '.join(files)}"


def _notes(search: Search, found: Machine) -> list[str]:
    trying = search.trying
    notes = []
    if trying.unmeasured:
        notes.append(f"the error was not measured: {trying.unmeasured}")
    if found.peak is None:
        notes.append(f"no forecast: the peak rates of {found.name} are not known")
    elif trying.points and not any(one.forecast for one in trying.points.values()):
        notes.append(f"no forecast: the program ran nothing on {found.device}")
    notes += [f"not tried: {one}" for one in search.untried]
    if search.stopped:
        notes.append(f"search incomplete: {search.stopped}")
    return notes


def _error(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e3:
        raise argparse.ArgumentTypeError(
            f"expected an error above 0, such as 1e-2, got {text[:40]!r}"
        )
    return value


def _kept(given: list[str]) -> dict[str, str]:
    from ..policy import Policy, PolicyError
    from ..policy.spelling import spelled

    kept = {}
    for text in given:
        name, found, said = text.partition("=")
        if not (name and found):
            raise RefusedError(
                f"--keep {text[:40]!r}: expected NAME=PRECISION, such as vae=float32"
            )
        try:
            kept[name] = spelled(Policy.parse(_TRUE.get(said, said)))
        except PolicyError as error:
            raise RefusedError(f"--keep {text[:40]!r}: {error}") from error
    return kept


_TRUE = {
    "float32": "32-true", "bfloat16": "bf16-true", "float16": "16-true", "float64": "64-true",
}  # fmt: skip


def _free(file: str | None) -> None:
    if file is None:
        return
    if os.path.lexists(file):
        raise RefusedError(f"--apply {file}: the file already exists")
    writable(file, "policy")


def _write(file: str, text: str) -> None:
    try:
        with open(file, "x", encoding="utf-8") as opened:
            opened.write(text)
    except OSError as error:
        raise RefusedError(
            f"cannot write the policy to {file}: {error.strerror}"
        ) from error
