"""The last word of a program that died: on stderr, after Python's own, or in a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def teller(form: str, output: str | None) -> Callable[[BaseException], None]:
    """Explains exceptions of the kinds that Miscast knows; of all others it says nothing, and writes nothing.

    Whatever goes wrong in here is one line: the program's own exit is never changed.
    """

    def tell(error: BaseException) -> None:
        try:
            text = _explained(error, form)
            if not text:
                return
            if output is None:
                print(f"\n{text}", file=sys.stderr, flush=True)
            else:
                with open(output, "w", encoding="utf-8") as file:
                    file.write(f"{text}\n")
        except Exception as failure:  # noqa: BLE001 - see above
            _say(f"miscast: the error could not be explained: {type(failure).__name__}: {failure}")

    return tell


def _explained(error: BaseException, form: str) -> str:
    if not isinstance(error, Exception) and not getattr(error, "exceptions", ()):
        return ""  # KeyboardInterrupt and the like
    from ..explanation import render
    from .exception import explained

    found = explained(error)
    return render(found, form) if found else ""


def _say(line: str) -> None:
    try:
        print(line[:400], file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):
        return  # stderr is closed
