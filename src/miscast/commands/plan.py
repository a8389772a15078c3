"""Find the precision of each model of a program that fits a machine, and what it costs.

  $ miscast plan --machine rtx4090 train.py --size real
    candidate                              memory   forecast    error
  · float32                             19.98 GiB     259 ms        -
  → unet bf16-mixed, vae bf16-true      18.40 GiB     171 ms        -

Candidates are checked on the virtual machine: what they hold is counted, how long a step takes is a forecast by the
machine's data sheet. With --measure the program is really run, with these arguments in place of its own, and the losses
of each candidate are held against those in float32. The program is executed, in a box: plan what you trust.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from typing import TYPE_CHECKING

from .program import add_target, alike, machine, required, startable, target
from .refusal import RefusedError, batches, positive, ranks, seconds, size, writable
from .telling import add_format, known_format, tell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..machines import Machine
    from ..planning.linted import Read
    from ..planning.search import Search
    from ..report import Report

USAGE = "miscast plan [OPTIONS] TARGET [ARGS…]"
_SHARE = 0.9
"""Of a device's memory: the rest is the driver's, the libraries', and what the allocator cannot use."""


def add(parser: argparse.ArgumentParser) -> None:
    """What must hold, how it is tried, and what becomes of it."""
    # fmt: off
    parser.add_argument("--machine", metavar="M", help="rtx4090, 8xa100, …; see 'miscast machines'")
    parser.add_argument("--memory", type=size, metavar="SIZE", help="what may be held, as 20G (90 %% of the device)")
    parser.add_argument("--error", type=_error, default=1e-2, metavar="E",
        help="how far losses may be from those in float32, relative (1e-2)")
    parser.add_argument("--keep", action="append", default=[], metavar="NAME=P",
        help="a model's precision that stays: vae=float32, unet=bf16-mixed")
    parser.add_argument("--measure", type=shlex.split, metavar="ARGS",
        help="really run it with these arguments, at a small size: --measure '--size tiny'")
    parser.add_argument("--seeds", type=positive, default=2, metavar="N", help="runs for each error (2)")
    parser.add_argument("--real-steps", type=positive, default=8, metavar="N",
        help="steps of the optimizer in each of these (8)")
    parser.add_argument("--ranks", type=ranks, default=1, metavar="N",
        help="try FSDP2 over N ranks, too; memory is that of one of them")
    parser.add_argument("--steps", type=positive, default=2, metavar="N",
        help="steps of the optimizer on the virtual machine (2)")
    parser.add_argument("--batches", type=batches, default=2, metavar="N", help="cut loaders over 2 N batches to N (2)")
    parser.add_argument("--time-limit", type=seconds, metavar="S", help="try nothing more after S seconds")
    parser.add_argument("--apply", metavar="FILE", help="write the policy there, as TOML, if there is no such file")
    # fmt: on
    add_format(parser)
    parser.add_argument(
        "--output", metavar="FILE", help="write the report there instead of to stdout"
    )
    add_target(parser)


def run(options: argparse.Namespace) -> int:
    """0 there is a plan, 1 nothing fits; RefusedError, after the report, where not all was tried."""
    from .. import machines
    from ..launching.entry import CannotRunError
    from ..process.standard_input import kept
    from ..report.outlet import outlet

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
        raise RefusedError("interrupted")
    return int(search.chosen is None)


def _searched(
    options: argparse.Namespace, found: Machine, keeps: dict[str, str]
) -> Search:
    from ..planning.point import Budget
    from ..planning.search import Search
    from ..planning.trying import Options, Trying
    from ..progress import Ticking
    from ..trials.job import Job

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
                memory=options.memory or int(found.memory * _SHARE) or 1 << 62,
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
    """What was checked of the plan once more."""
    if not search.proven or search.chosen is None:
        return ""
    told = [f"{name}: {said}" for name, one in read.items() for said in one.findings]
    files = [name for name, one in read.items() if one.written]
    said = "a check of it with --numerics finds nothing that float32 has not"
    if told:
        return f"{said}; lint: {'; '.join(told)}"
    return f"{said}; lint finds nothing in its settings for {', '.join(files)}"


def _notes(search: Search, found: Machine) -> list[str]:
    trying = search.trying
    notes = []
    if trying.unmeasured:
        notes.append(f"the error was not measured: {trying.unmeasured}")
    if found.peak is None:
        notes.append(f"no forecast: no peak rates are known of {found.name}")
    elif trying.points and not any(one.forecast for one in trying.points.values()):
        notes.append(f"no forecast: nothing of the program ran on {found.device}")
    notes += [f"not tried: {one}" for one in search.untried]
    if search.stopped:
        notes.append(f"not all was tried: {search.stopped}")
    return notes


def _error(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e3:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no error above 0: 1e-2")
    return value


def _kept(given: list[str]) -> dict[str, str]:
    from ..policy import Policy, PolicyError
    from ..policy.spelling import spelled

    kept = {}
    for text in given:
        name, found, said = text.partition("=")
        if not (name and found):
            raise RefusedError(f"--keep {text[:40]!r}: NAME=PRECISION, as vae=float32")
        try:
            kept[name] = spelled(Policy.parse(_TRUE.get(said, said)))
        except PolicyError as error:
            raise RefusedError(f"--keep {text[:40]!r}: {error}") from error
    return kept


_TRUE = {
    "float32": "32-true",
    "bfloat16": "bf16-true",
    "float16": "16-true",
    "float64": "64-true",
}


def _free(file: str | None) -> None:
    if file is None:
        return
    if os.path.lexists(file):
        raise RefusedError(f"--apply {file}: there is such a file, and it stays")
    writable(file, "policy")


def _write(file: str, text: str) -> None:
    try:
        with open(file, "x", encoding="utf-8") as opened:
            opened.write(text)
    except OSError as error:
        raise RefusedError(
            f"cannot write the policy to {file}: {error.strerror}"
        ) from error
