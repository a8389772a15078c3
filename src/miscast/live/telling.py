"""The last word of a program that died: on stderr, after Python's own, or in a file."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..core.finding import Fix
    from ..report import Report


def teller(
    form: str, output: str | None, command: Sequence[str]
) -> Callable[[BaseException], None]:
    """Return a function that explains exceptions of the kinds that Miscast knows; for others it writes nothing.

    `command` is what ran, its target and arguments. Whatever goes wrong in here is one line: the program's own exit is
    never changed.
    """

    def tell(error: BaseException) -> None:
        try:
            found = _explained(error, command)
            if found:
                _write(found, form, output)
        except Exception as failure:  # noqa: BLE001 - see above
            _say(
                f"miscast: the error could not be explained: {type(failure).__name__}: {failure}"[
                    :400
                ]
            )

    return tell


def _explained(error: BaseException, command: Sequence[str]) -> Report | None:
    if not isinstance(error, Exception) and not getattr(error, "exceptions", ()):
        return None  # KeyboardInterrupt and the like
    from ..explanation.assemble import VERIFY
    from ..guarding.trip import TrippedError
    from .exception import explained

    if isinstance(error, TrippedError):
        return None  # it has said all that there is

    def verified(fix: Fix) -> Fix:
        """Return the fix with this program and its arguments in place of the script name in the traceback."""
        if not fix.title.startswith(VERIFY):
            return fix
        words = fix.title.removeprefix(VERIFY).split()
        machine = words[:2] if words[:1] == ["--machine"] else []
        return replace(fix, title=f"{VERIFY} {shlex.join([*machine, *command])}")

    found = explained(error)
    findings = tuple(
        replace(one, fixes=tuple(map(verified, one.fixes))) for one in found
    )
    return replace(found, findings=findings)


def _write(found: Report, form: str, output: str | None) -> None:
    from ..report import renderer, text
    from . import ranks

    told = renderer(form)(found).rstrip("\n")

    if output is not None:
        with open(ranks.file(output), "w", encoding="utf-8") as file:
            file.write(f"{told}\n")
        return
    if sys.stderr is None:
        return
    told_by = ranks.told_by(found)
    if told_by is not None:
        _say(
            f"miscast: {ranks.here()} failed with the same error, which {told_by} has already explained"
        )
        return
    head = f"{ranks.here()}:\n" if ranks.here() else ""
    if form == "text" and sys.stderr.isatty():
        _say(f"\n{head}".rstrip())
        text.show(found, sys.stderr)
        return
    _say(f"\n{head}{told}")


def _say(text: str) -> None:
    """Write to stderr in one piece, so that the output of several processes does not mix."""
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return  # stderr is closed
