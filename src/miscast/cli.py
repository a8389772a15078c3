"""Arguments -> api -> report -> exit code.

    $ miscast check --machine 4xv100 train.py --lr 1e-4
    $ miscast check -m package.train
    $ miscast check package.module:function
    $ miscast lint config/ train.sh accelerate.yaml --machine v100
    $ miscast run train.py --lr 1e-4
    $ miscast rules operand-dtype-mismatch
    $ miscast machines
    $ miscast probe --device cuda --output table.jsonl.gz

Exit code: 0 nothing found, 1 findings, 2 Miscast could not do its work; then one line on stderr says why.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Callable, Sequence
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
  miscast run train.py --lr 1e-4                     really runs it; if it dies of a dtype, tells why
  miscast explain train.log                          what the errors in a log mean; - reads stdin
  miscast lint config/ train.sh ds_config.json       contradictions in settings; nothing is executed
  miscast rules operand-dtype-mismatch               what it means, and what to write instead
  miscast machines                                   what --machine knows
  miscast probe --output cpu.jsonl.gz                what torch does with each op's dtypes, on the device at hand
"""
_CHECK = """\
Run a program on a machine that does not exist, and report every dtype and device mistake in it:

  error[operand-dtype-mismatch]  linear mixes float32 `input` with float16 `weight`
    train.py:112  unet.time_embedding.linear_1    emb = unet.time_embedding(t_emb)
    input   float32  born at train.py:109         t_emb = timestep_embedding(t, 320)
    weight  float16  cast at train.py:41          unet = unet.half()

No GPU is needed and no weights are read, but the program itself is executed: check what you trust.
"""
_PROBE = """\
Measure what the torch at hand does with the dtypes of each op's operands, on the device at hand, and write a table:

  {"op": "aten.mm", "operands": ["self", "mat2"], "runs": {"h": "hh", "f": "ff", …}, "raises": {"expected m1 and …": …}}

Each op of torch's operator and module databases is called with its operands in every dtype, one by one, in pairs and
all at once; forward, backward and under autocast. An op that crashes or hangs its process is named in the table's
first line, and the sweep goes on. Needs what torch's own tests need: pip install expecttest numpy.
"""

_RUN = """\
Run a program for real, just as python does, and explain the dtype, device or precision error that it dies of:

  RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half

  dtype-mismatch  linear mixes float32 `mat1` with float16 `mat2`
    train.py:8  in forward
    mat1    float32 on cpu  activation  [3, 4]  x
            born by torch.ones at train.py:11
    mat2    float16 on cpu  weight      [8, 4]  net.inner.0.weight
            cast by nn.Module.half at train.py:9

Output, traceback and exit code are the program's own; the explanation follows the traceback on stderr.
Exit code: the program's; 2 if there is nothing to run.
"""
_EXPLAIN = """\
Read a traceback or a log, and tell what its dtype, device and precision errors mean:

  dtype-mismatch  linear mixes float32 `mat1` with bfloat16 `mat2`
    train.py:112  in forward  (raised in diffusers)
    cause   the model's weights are bfloat16, and a tensor made in another dtype …
    help    cast the input to the weights' dtype just before the call

One line, a notebook's output, a GitHub issue, or gigabytes of interleaved ranks. Nothing is executed.
Exit code: 1 something was explained, 0 nothing was recognised, 2 the log could not be read.
"""


_LINT = "find what contradicts in configurations, before anything runs"
_LINT_PAGE = """\
Read configurations together (trainers, launchers, DeepSpeed, scripts, environment files, literal calls in Python) and
report what contradicts, what a library rejects or silently overrides, and the precision that will really hold:

  error[engine-contradicts-launcher]  accelerate says bf16, DeepSpeed's JSON enables fp16
    accelerate.yaml:4:18      mixed_precision: bf16
    and ds_config.json:3:25   "fp16": {"enabled": true}
    help    set fp16.enabled to "auto", and let accelerate fill it
    effect  ValueError: `--mixed_precision` arg cannot be set to `bf16` when `fp16` is set in the DeepSpeed config file.

Nothing is executed. Without PATH, the known files below the current folder are read.
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
        done: int | Callable[[], int] = options.run(options)
    except _ReportedError as failure:
        print(f"miscast: {failure}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("miscast: interrupted", file=sys.stderr)
        return 2
    except BrokenPipeError:
        _silence()
        return 2
    return done() if callable(done) else done  # a program that is run for real: what it raises is its own


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
    _lint_options(commands.add_parser("lint", help=_LINT, formatter_class=raw, allow_abbrev=False))
    rules = commands.add_parser("rules", help="list the rules, or print one rule's page")
    rules.add_argument("name", nargs="?", metavar="NAME")
    rules.set_defaults(run=_rules)
    machines = commands.add_parser("machines", help="list the machines that a program can be checked on")
    machines.set_defaults(run=_machines)
    _add_probe(commands)
    _add_explain(commands)
    _add_run(commands)
    return parser


def _add_run(commands: argparse._SubParsersAction[_Parser]) -> None:
    run = commands.add_parser(
        "run",
        help="run a program for real, and explain the precision error that it dies of",
        usage="miscast run [OPTIONS] TARGET [ARGS…]",
        description=_RUN,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    run.add_argument("--format", default="text", choices=("text", "json"), help="text (as it is by default) or json")
    run.add_argument("--output", metavar="FILE", help="write the explanation, if there is one, there: not to stderr")
    run.add_argument("-m", action="store_true", dest="module", help="TARGET is a module's name")
    run.add_argument("target", nargs="?", metavar="TARGET", help="script.py, -m module, or package.module:function")
    run.add_argument("args", nargs=argparse.REMAINDER, metavar="ARGS", help="the program's own arguments")
    run.set_defaults(run=_live)


def _add_explain(commands: argparse._SubParsersAction[_Parser]) -> None:
    explain = commands.add_parser(
        "explain",
        help="read a traceback or a log and tell what its precision errors mean",
        description=_EXPLAIN,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    explain.add_argument("file", nargs="?", default="-", metavar="FILE", help="a log, gzipped or not; - is stdin (-)")
    explain.add_argument("--format", default="text", choices=("text", "json"), help="text (the default) or json")
    explain.set_defaults(run=_explain)


def _add_probe(commands: argparse._SubParsersAction[_Parser]) -> None:
    probe = commands.add_parser(
        "probe",
        help="measure what torch does with each op's dtypes, on the device at hand",
        description=_PROBE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    probe.add_argument("--device", default="cpu", choices=("cpu", "cuda", "mps", "xpu"), help="where to call ops (cpu)")
    probe.add_argument(
        "--ops", metavar="OP,…", help="only these: linear,conv2d,…, as torch's operator database names them"
    )
    probe.add_argument("--output", metavar="TABLE", required=True, help="write the table there: NAME.jsonl.gz")
    probe.add_argument(
        "--seconds", type=_positive, default=600, metavar="N", help="end after N seconds at the latest (600)"
    )
    probe.add_argument("--workers", type=_positive, metavar="N", help="processes (as many as cores, 12 at most)")
    probe.set_defaults(run=_probe)


def _lint_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders; default: the current folder")
    parser.add_argument("--machine", metavar="M", help="judge the hardware too: v100, 4xa100, …")
    parser.add_argument("--format", default="text", metavar="F", help="text (as it is by default) or json")
    parser.add_argument("--output", metavar="FILE", help="write the report there instead of to stdout")
    parser.add_argument("--fix", action="store_true", help="write the safe fixes; comments and order are kept")
    parser.description = _LINT_PAGE
    parser.set_defaults(run=_lint)


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10**9:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of batches: 1 or more")
    return int(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10**6:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no whole number above 0")
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


def _writable(output: str | None, what: str = "report") -> None:
    import os

    if output is None:
        return
    folder = os.path.dirname(output) or "."
    if os.path.isdir(output) or not os.access(output if os.path.exists(output) else folder, os.W_OK):
        raise _ReportedError(f"cannot write the {what} to {output}")


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


def _live(options: argparse.Namespace) -> Callable[[], int]:
    from .live import arrival, launch
    from .live.telling import teller

    if options.target is None:
        raise _ReportedError("run what? script.py, -m module, or package.module:function; see 'miscast run --help'")
    _writable(options.output, "explanation")
    target = f"-m {options.target}" if options.module else options.target
    try:
        program = launch.prepared(target, options.args, teller(options.format, options.output))
    except launch.CannotRunError as error:
        raise _ReportedError(error) from error
    arrival.record()
    return program


def _explain(options: argparse.Namespace) -> int:
    from . import explanation

    try:
        if options.file == "-":
            found = explanation.explained_stream(sys.stdin.buffer)
        else:
            with open(options.file, "rb") as stream:
                found = explanation.explained_stream(stream)
    except (OSError, explanation.UnreadableError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise _ReportedError(f"cannot read {options.file}: {reason}") from error
    if options.format == "text":
        explanation.show(found, sys.stdout)
    else:
        print(explanation.render(found, options.format))
    return int(bool(found))


def _lint(options: argparse.Namespace) -> int:
    from .lint import command

    try:
        return command.run(options)
    except ValueError as error:
        raise _ReportedError(error) from error


def _rules(options: argparse.Namespace) -> int:
    from .lint.rules import known as of_settings
    from .rules import known

    pages = [(rule.name, rule.summary, rule.page, rule.strict) for rule in known()]
    pages += [(rule.name, rule.summary, rule.page, False) for rule in of_settings()]
    rules = {name: page for name, _, page, _ in pages}
    if options.name is None:
        width = max(map(len, rules))
        for name, summary, _, strict in pages:
            print(f"{name:{width}}  {summary}{'  (--strict)' if strict else ''}")
        return 0
    if options.name not in rules:
        near = difflib.get_close_matches(options.name, rules, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(rules)}"
        raise _ReportedError(f"unknown rule {options.name[:40]!r}: {hint}")
    print(f"{options.name}\n\n{rules[options.name]}")
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


def _probe(options: argparse.Namespace) -> int:
    import os
    from pathlib import Path

    from .probe.crew import ProbeError
    from .probe.sweep import Sweep
    from .report.progress import Progress

    _writable(options.output, "table")
    with Progress(sys.stderr) as progress:
        sweep = Sweep(
            device=options.device,
            output=Path(options.output),
            seconds=options.seconds,
            workers=options.workers or min(os.cpu_count() or 1, 12),
            ops=tuple(filter(None, (options.ops or "").split(","))),
            watch=progress.watch,
        )
        try:
            sweep.run()
        except (ProbeError, ValueError) as error:
            raise _ReportedError(error) from error
        except OSError as error:
            raise _ReportedError(f"cannot write the table to {options.output}: {error.strerror}") from error
        except KeyboardInterrupt:
            if not sweep.rows:
                raise
            raise _ReportedError(f"interrupted; {options.output} holds what was measured: {sweep.summary()}") from None
    print(f"{options.output}: {sweep.summary()}")
    return 0


def _silence() -> None:
    """Nobody reads any more: let the interpreter's last flush go nowhere."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
