"""The options of `miscast run --shadow`, and the program with its shadow."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import TYPE_CHECKING

from .refusal import RefusedError, positive, size
from .telling import tell

if TYPE_CHECKING:
    from collections.abc import Callable

_OPTIONS = ("against", "steps", "modules", "memory")


def add_shadow(parser: argparse.ArgumentParser) -> None:
    """What is computed beside the program, and how much of it."""
    group = parser.add_argument_group("a shadow in another precision")
    group.add_argument(
        "--shadow",
        action="store_true",
        help="compute everything in float64, too, and tell what is lost",
    )
    group.add_argument(
        "--against",
        metavar="DTYPE",
        help="compare with the program in fp32, bf16, fp16 or fp64 instead: where the two part",
    )
    group.add_argument(
        "--steps",
        type=positive,
        default=0,
        metavar="N",
        help="look at N optimizer steps only",
    )
    group.add_argument(
        "--modules",
        action="append",
        default=[],
        metavar="PATTERN",
        help="only at modules of this path, as 'unet.*norm*'",
    )
    group.add_argument(
        "--memory",
        type=size,
        default=0,
        metavar="SIZE",
        help="what the shadows of tensors may take, as 4G (half of what is free)",
    )


def belongs(options: argparse.Namespace) -> None:
    """Raises RefusedError where an option of the shadow's is given without it, or has no meaning."""
    given = next((name for name in _OPTIONS if getattr(options, name, None)), None)
    if given and not options.shadow:
        raise RefusedError(f"--{given} is the shadow's: add --shadow")
    if options.against:
        from ..shadowing.names import canonical

        try:
            canonical(options.against)
        except ValueError as error:
            raise RefusedError(error) from error


def shadowed(
    options: argparse.Namespace, program: Callable[[], int], output: str | None
) -> Callable[[], int]:
    """The program with its shadow, which tells at the end."""
    from ..live.shadowed import Shadowed
    from ..shadowing import look

    told = argparse.Namespace(format=options.format, output=output)
    looks = partial(
        look,
        options.against or "",
        steps=options.steps,
        modules=tuple(options.modules),
        memory=options.memory,
    )
    return Shadowed(program, lambda report: tell(report, told, sys.stderr), looks)
