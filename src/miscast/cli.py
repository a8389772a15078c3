"""Arguments -> api -> report -> exit code.

    $ miscast check --machine 4xv100 train.py --lr 1e-4
    $ miscast check -m package.train
    $ miscast check package.module:function
    $ miscast rules operand-dtype-mismatch
    $ miscast machines

Exit code: 0 nothing found, 1 findings, 2 Miscast could not do its work; then one line on stderr says why.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, TextIO

from . import __version__

if TYPE_CHECKING:
    from .report import Report

_EXAMPLES = """\
examples:
  miscast check train.py                             on a CPU
  miscast check --machine 4xv100 train.py --lr 1e-4  all after train.py is train.py's own
  miscast check --machine h100 -m package.train
  miscast check --format json --output report.json package.module:function
  miscast rules operand-dtype-mismatch               what it means, and what to write instead
  miscast machines                                   what --machine knows
"""
_CHECK = """\
Run a program on a machine that does not exist, and report every dtype and device mistake in it:

  error[operand-dtype-mismatch]  linear mixes float32 `input` with float16 `weight`
    train.py:112  unet.time_embedding.linear_1    emb = unet.time_embedding(t_emb)
    input   float32  born at train.py:109         t_emb = timestep_embedding(t, 320)
    weight  float16  cast at train.py:41          unet = unet.half()

No GPU is needed and no weights are read, but the program itself is executed: check what you trust.
"""


class _ReportedError(Exception):
    """Miscast could not do its work; the message is one line."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, and the way to more."""
        raise _ReportedError(f"{message}; see '{self.prog} --help'")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line, without the program's name; the exit code."""
    try:
        options = _parser().parse_args(argv)
        code: int = options.run(options)
    except _ReportedError as failure:
        print(f"miscast: {failure}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("miscast: interrupted", file=sys.stderr)
        return 2
    except BrokenPipeError:
        _silence()
        return 2
    return code


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = _Parser(
        prog="miscast",
        description="Find every dtype and device mistake of a PyTorch program, on a machine that does not exist.",
        epilog=_EXAMPLES,
        formatter_class=raw,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"miscast {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    check = commands.add_parser(
        "check",
        help="run a program on a virtual machine and report its dtype and device mistakes",
        usage="miscast check [OPTIONS] TARGET [ARGS…]",
        description=_CHECK,
        formatter_class=raw,
        allow_abbrev=False,
    )
    check.add_argument("--machine", default="cpu", metavar="M", help="cpu, v100, 4xa100, …; see 'miscast machines'")
    check.add_argument("--batches", type=_count, default=2, metavar="N", help="each data loader yields at most N (2)")
    check.add_argument("--strict", action="store_true", help="report the faults that autocast only hides as well")
    check.add_argument("--format", default="text", metavar="F", help="text (as it is by default) or json")
    check.add_argument("--output", metavar="FILE", help="write the report there instead of to stdout")
    check.add_argument("-m", action="store_true", dest="module", help="TARGET is a module's name")
    check.add_argument("target", nargs="?", metavar="TARGET", help="script.py, -m module, or package.module:function")
    check.add_argument("args", nargs=argparse.REMAINDER, metavar="ARGS", help="the program's own arguments")
    check.set_defaults(run=_check)
    rules = commands.add_parser("rules", help="list the rules, or print one rule's page")
    rules.add_argument("name", nargs="?", metavar="NAME")
    rules.set_defaults(run=_rules)
    machines = commands.add_parser("machines", help="list the machines that a program can be checked on")
    machines.set_defaults(run=_machines)
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10**9:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of batches: 1 or more")
    return int(text)


def _check(options: argparse.Namespace) -> int:
    from . import machines
    from .report import renderer
    from .report.outlet import outlet
    from .trace.program import CannotRunError

    if options.target is None:
        raise _ReportedError("check what? script.py, -m module, or package.module:function; see 'miscast check --help'")
    alone = options.format != "text" and not options.output
    try:
        machines.find(options.machine)
        renderer(options.format)
        _writable(options.output)
        with outlet(alone=alone) as stream:
            report = _run(options)
            _write(report, options, stream)
    except (CannotRunError, ValueError) as error:
        raise _ReportedError(error) from error
    if report.findings:
        return 1
    if report.ended is not None:
        raise _ReportedError(f"nothing found, but {report.ended}")
    return 0


def _run(options: argparse.Namespace) -> Report:
    from . import api
    from .report.progress import Progress

    target = f"-m {options.target}" if options.module else options.target
    with Progress(sys.stderr) as progress:
        return api.check_program(
            target,
            options.args,
            machine=options.machine,
            strict=options.strict,
            batches=options.batches,
            watch=progress.watch,
        )


def _writable(output: str | None) -> None:
    import os

    if output is None:
        return
    folder = os.path.dirname(output) or "."
    if os.path.isdir(output) or not os.access(output if os.path.exists(output) else folder, os.W_OK):
        raise _ReportedError(f"cannot write the report to {output}")


def _write(report: Report, options: argparse.Namespace, stream: TextIO) -> None:
    """The report, to the file that was asked for, else to stdout."""
    from .report import renderer

    if options.output is None and options.format == "text":
        from .report import text

        return text.show(report, stream)
    rendered = renderer(options.format)(report).rstrip("\n") + "\n"
    if options.output is None:
        stream.write(rendered)
        return None
    try:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(rendered)
    except OSError as error:
        raise _ReportedError(f"cannot write the report to {options.output}: {error.strerror}") from error
    return None


def _rules(options: argparse.Namespace) -> int:
    from .rules import known

    rules = {rule.name: rule for rule in known()}
    if options.name is None:
        width = max(map(len, rules))
        for rule in rules.values():
            print(f"{rule.name:{width}}  {rule.summary}{'  (--strict)' if rule.strict else ''}")
        return 0
    if options.name not in rules:
        near = difflib.get_close_matches(options.name, rules, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(rules)}"
        raise _ReportedError(f"unknown rule {options.name[:40]!r}: {hint}")
    print(f"{options.name}\n\n{rules[options.name].page}")
    return 0


def _machines(_: argparse.Namespace) -> int:
    from . import machines

    known = machines.known()
    width, title = max(len(machine.name) for machine in known), max(len(machine.title) for machine in known)
    for machine in known:
        memory = f"{machine.memory / (1 << 30):4.0f} GiB" if machine.memory else " " * 8
        support = {"emulates": machine.emulated, "lacks": machine.missing}
        lacks = "; ".join(f"{verb} {', '.join(dtypes)}" for verb, dtypes in support.items() if dtypes)
        print(f"{machine.name:{width}}  {machine.title:{title}}  {memory}  {lacks}".rstrip())
    return 0


def _silence() -> None:
    """Nobody reads any more: let the interpreter's last flush go nowhere."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
