"""Facts about an error, one word each, for causes: "half-with-float", "weight-on-cpu", "backward".

Facts come from the operands, the op and the frames. A cause (`causes/`) names those it needs and those that speak for
it; so causes are data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..core.dtypes import category as dtype_category, facts as facts_of
from ..core.event import Operand
from ..core.frozen import dataclass
from ..core.regex import regex
from .frame import Frame
from .library import Library
from .operands import devices, dtypes
from .recognise import Recognised


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A recognised error with all that is read of it."""

    found: Recognised
    category: str
    op: str
    operands: tuple[Operand, ...]
    frames: tuple[Frame, ...]
    libraries: tuple[Library, ...]
    """The libraries that raised the error, the outermost first."""
    facts: frozenset[str]
    near: str = ""
    """The lines beside the message, in lower case."""

    def operand(self, *roles: str) -> Operand | None:
        """Return the first operand with one of these roles."""
        return next(
            (operand for operand in self.operands if operand.role in roles), None
        )


_MEANS = {
    "half-with-float": ("has:float16|has:bfloat16", "has:float32"),
    "two-halves": ("has:float16", "has:bfloat16"),
    "double-with-float": ("has:float64", "several-dtypes"),
    "quantized-storage": ("has:uint8|has:int8",),
    "half-weight": ("weight:float16|weight:bfloat16",),
    "float-weight": ("weight:float32",),
    "half-input": ("activation:float16|activation:bfloat16",),
    "cpu-with-accelerator": ("on:cpu", "several-devices"),
}
"""Facts that follow from others, which must all be known; "a|b" is either."""
_KINDS = {"weight": ("weight", "bias"), "activation": ("activation",)}
_SCALE = regex(r"loss scale:? (\d{1,30}(?:\.\d{1,9})?)")
_VALIDATION = regex(r"valid|evaluat|test\.py|/test|inference|predict")


def holds(needs: Iterable[str], facts: frozenset[str]) -> bool:
    """Check whether all that is needed is known; "a|b" is either."""
    return all(facts.intersection(need.split("|")) for need in needs)


def facts(
    found: Recognised,
    category: str,
    op: str,
    told: tuple[Operand, ...],
    frames: tuple[Frame, ...],
) -> frozenset[str]:
    """Return every fact of an error."""
    read = frozenset(
        (
            category,
            f"pattern:{found.pattern.name}",
            f"op:{op}",
            *_of_dtypes(told),
            *_of_roles(told),
            *_of_devices(told),
            *_of_frames(frames, op),
            # "(operator() at cuda/scatter_kernel.cu:129)"
            "on:cuda" if ".cu:" in found.message.text else "",
            "scale-beyond-half" if _is_scaled_far(found.message.source) else "",
        )
    )
    return read.union(fact for fact, needs in _MEANS.items() if holds(needs, read))


def _is_scaled_far(text: str) -> bool:
    """Check whether a message names a loss scale that float16 cannot hold."""
    scale = _SCALE.search(text)
    return scale is not None and float(scale[1]) > facts_of("float16").max


def _of_dtypes(told: tuple[Operand, ...]) -> Iterator[str]:
    stated = dtypes(told)
    many = "several-dtypes" if len(stated) > 1 else "one-dtype"
    yield many if stated else "dtypes-unknown"
    for dtype in stated:
        yield f"has:{dtype}"
        whole = "integers" if dtype_category(dtype) < 2 else ""
        yield "float8" if dtype.startswith("float8") else whole


def _of_roles(told: tuple[Operand, ...]) -> Iterator[str]:
    for fact, roles in _KINDS.items():  # of several, the first is told
        yield f"{fact}:{next((operand.dtype for operand in told if operand.role in roles), '')}"
    yield from (
        f"expected:{operand.dtype}" for operand in told if operand.name == "expected"
    )


def _of_devices(told: tuple[Operand, ...]) -> Iterator[str]:
    stated = devices(told)
    yield "several-devices" if len(stated) > 1 else ""
    kinds = {device.partition(":")[0] for device in stated}
    yield "one-kind-of-device" if len(stated) > len(kinds) == 1 else ""
    yield "several-accelerators" if sum(":" in device for device in stated) > 1 else ""
    yield from (f"on:{kind}" for kind in kinds)
    for operand in told:
        if operand.device:
            side = "cpu" if operand.device == "cpu" else "accelerator"
            yield f"{operand.role}-on-{side}"
            yield f"{operand.name}:{operand.device}"


def _of_frames(frames: tuple[Frame, ...], op: str) -> Iterator[str]:
    functions = {frame.function for frame in frames}
    holding = {
        "frames": bool(frames),
        "backward": op == "backward"
        or not functions.isdisjoint(("backward", "_engine_run_backward")),
        "validation": any(_VALIDATION.search(frame.words) for frame in frames),
        "own-code-last": any(not frame.library for frame in frames[-1:]),
    }
    yield from (fact for fact, known in holding.items() if known)
