"""The operands of an op that torch.compile ran on FakeTensors, as its error lists them.

    Failed running call_method lerp_(*(FakeTensor(..., device='cuda:0', size=(8, 8), dtype=torch.bfloat16),
    FakeTensor(..., device='cuda:0', size=(8, 8), dtype=torch.bfloat16), FakeTensor(..., size=())), **{}):

What a FakeTensor does not print is the default: float32, on the CPU.
"""

from __future__ import annotations

from .spelling import Value, read_device, read_dtype

_MOST = 12
_NAMES = {
    "lerp": ("self", "end", "weight"), "linear": ("input", "weight", "bias"), "conv2d": ("input", "weight", "bias"),
    "conv1d": ("input", "weight", "bias"), "conv3d": ("input", "weight", "bias"), "matmul": ("mat1", "mat2"),
    "bmm": ("batch1", "batch2"), "sdpa": ("query", "key", "value", "attn_mask"),
    "baddbmm": ("self", "batch1", "batch2"),
    "layer_norm": ("input", "weight", "bias"),
}  # fmt: skip
_FLOATS = ("float", "bfloat", "complex")


def fake_operands(text: str, op: str) -> dict[str, Value]:
    """The listed tensors of a squashed message, by the op's own names where they are known."""
    names = _NAMES.get(op.rstrip("_"), ("self", "other"))
    listed = text.split("faketensor(", _MOST + 1)[1 : _MOST + 1]
    told: dict[str, Value] = {}
    for index, part in enumerate(listed):
        name = names[index] if index < len(names) else f"operand {index + 1}"
        told[name] = Value(dtype=_after(part, "dtype=", "float32"), device=_place(part))
    return told


def differ(operands: dict[str, Value]) -> bool:
    """Whether floating operands have different dtypes, or tensors are on different devices."""
    dtypes = {value.dtype for value in operands.values() if value.dtype and value.dtype.startswith(_FLOATS)}
    return len(dtypes) > 1 or len({value.device for value in operands.values()} - {None}) > 1


def _after(part: str, word: str, default: str) -> str:
    at = part.find(word)
    read = read_dtype(part, at + len(word)) if at >= 0 else None
    return (read and read[0].dtype) or default


def _place(part: str) -> str | None:
    """The device; None of a CPU scalar, which may stand beside tensors of any device."""
    at = part.find("device=")
    if at < 0:
        return None if "size=()" in part else "cpu"
    read = read_device(part, at + len("device="))
    return read[0].device if read else None
