"""What is known of an error in single words, for causes to ask for: "half-with-float", "weight-on-cpu", "backward".

Facts come from the operands, the op and the frames. A cause (`causes/`) names those it needs and those that speak for
it; so causes are data.
"""

from __future__ import annotations

from dataclasses import dataclass

from .explanation import Told
from .frame import Frame
from .operands import differing, halves, integers, odd_pair
from .recognise import Recognised


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A recognised error with all that is read of it."""

    found: Recognised
    category: str
    op: str
    operands: tuple[Told, ...]
    frames: tuple[Frame, ...]
    library: str
    facts: frozenset[str]
    near: str = ""
    """The lines beside the message, in lower case."""

    def operand(self, *roles: str) -> Told | None:
        """The first operand with one of these roles."""
        return next((operand for operand in self.operands if operand.role in roles), None)


def facts(
    found: Recognised, category: str, op: str, told: tuple[Told, ...], frames: tuple[Frame, ...]
) -> frozenset[str]:
    """Every fact of an error."""
    names = {category, f"pattern:{found.pattern.name}", f"op:{op}"}
    names |= set(_of_dtypes(told))
    names |= set(_of_devices(told))
    names |= {name for name, holds in _of_frames(frames, op).items() if holds}
    return frozenset(names)


def _of_dtypes(told: tuple[Told, ...]) -> list[str]:
    dtypes = odd_pair(told)
    names = [f"has:{dtype}" for dtype in dtypes]
    half, whole = halves(dtypes), integers(dtypes)
    if half and "float32" in dtypes:
        names.append("half-with-float")
    if len(half) > 1:
        names.append("two-halves")
    if "float64" in dtypes and len(dtypes) > 1:
        names.append("double-with-float")
    if any(dtype.startswith("float8") for dtype in dtypes):
        names.append("float8")
    if whole:
        names.append("integers")
    if "uint8" in dtypes or "int8" in dtypes:
        names.append("quantized-storage")
    if not dtypes:
        names.append("dtypes-unknown")
    weights = [operand for operand in told if operand.role in ("weight", "bias")]
    inputs = [operand for operand in told if operand.role == "activation"]
    if weights and weights[0].dtype in ("float16", "bfloat16"):
        names.append("half-weight")
    if weights and weights[0].dtype == "float32":
        names.append("float-weight")
    if inputs and inputs[0].dtype in ("float16", "bfloat16"):
        names.append("half-input")
    found = next((operand for operand in told if operand.name == "found" or operand.role in ("target", "index")), None)
    if found and found.dtype:
        names.append(f"found:{found.dtype}")
    expected = next((operand for operand in told if operand.name == "expected"), None)
    if expected and expected.dtype:
        names.append(f"expected:{expected.dtype}")
    return names


def _of_devices(told: tuple[Told, ...]) -> list[str]:
    devices = {operand.device for operand in told if operand.device}
    names = [f"on:{device.partition(':')[0]}" for device in devices]
    if "cpu" in devices and len(devices) > 1:
        names.append("cpu-with-accelerator")
    if len({device for device in devices if ":" in device}) > 1:
        names.append("several-accelerators")
    if not differing(told, "device") and devices == {"cpu"}:
        names.append("only-cpu")
    for operand in told:
        if operand.device and operand.role:
            side = "cpu" if operand.device == "cpu" else "accelerator"
            names.append(f"{operand.role}-on-{side}")
        elif operand.device and operand.name in ("expected", "the others", "found"):
            names.append(f"{operand.name.split()[-1]}-on-{'cpu' if operand.device == 'cpu' else 'accelerator'}")
    return names


def _of_frames(frames: tuple[Frame, ...], op: str) -> dict[str, bool]:
    words = " ".join(frame.words for frame in frames)
    functions = {frame.function for frame in frames}
    return {
        "no-frames": not frames,
        "frames": bool(frames),
        "backward": op == "backward" or "backward" in functions or "_engine_run_backward" in functions,
        "validation": any(
            word in words for word in ("valid", "evaluat", "test.py", "/test", "inference", "predict", "log_validation")
        ),
        "training": any(word in words for word in ("train", "fit_loop", "training_step")),
        "generate": "generate" in words or "sample" in words,
        "own-code-last": bool(frames) and not frames[-1].library,
        "loss": "loss" in words,
    }
