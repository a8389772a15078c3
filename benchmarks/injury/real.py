"""A real run on the CPU: what it printed, and what it died of."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+|\bnan\b|\binf\b")
_OF_DTYPES = re.compile(
    r"dtype|data ?type|scalar ?type|FloatTensor|HalfTensor|DoubleTensor|same type|float|half|double|long|integ|\bint\b"
    r"|bool|FP16 gradients|without overflow|numpy",
    re.IGNORECASE,
)
_OF_NUMPY = re.compile(r"\bdtype\(")  # as NumPy writes its dtypes: torch had no part in it
_OF_ARGUMENTS = re.compile(r"^[\w.<>]+\(\) (missing|got an unexpected|takes)")  # Python's: `dtype` is a name there
_RAISED = ("RuntimeError", "TypeError", "ValueError", "IndexError", "NotImplementedError", "AssertionError")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """`error` is "Type: text" of what ended the run, empty if nothing did; `numbers` are the decimals printed."""

    error: str = ""
    numbers: tuple[float, ...] = ()

    @property
    def of_dtypes(self) -> bool:
        """Whether it died, and of dtypes: an error of torch's kinds that speaks of types."""
        kind, _, text = self.error.partition(": ")
        others = _OF_NUMPY.search(text) or _OF_ARGUMENTS.search(text)
        return kind in _RAISED and bool(_OF_DTYPES.search(text)) and not others


def outcome(data: Mapping[str, Any]) -> Outcome:
    """From `run`'s answer, as JSON carries it."""
    return Outcome(error=data["error"], numbers=tuple(map(float, data["numbers"])))


def run(script: Path) -> dict[str, Any]:
    """Run a script as `python` does, in this process."""
    out = io.StringIO()
    sys.path.insert(0, str(script.parent))
    sys.argv = [str(script)]
    error = ""
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_path(str(script), run_name="__main__")
    except Exception as raised:  # noqa: BLE001 - whatever a program dies of
        error = f"{type(raised).__name__}: {raised}"[:2000]
    return {"error": error, "numbers": _NUMBER.findall(out.getvalue())}


def as_good(one: Outcome, other: Outcome, tolerance: float) -> bool:
    """Whether two runs that ended well printed the same numbers, within `tolerance`, relative and absolute."""
    if one.error or other.error or len(one.numbers) != len(other.numbers):
        return False
    return all(abs(a - b) <= tolerance * max(1.0, abs(a)) for a, b in zip(one.numbers, other.numbers, strict=True))
