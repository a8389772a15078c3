"""The operands of a recognised message, in one spelling, each with its role."""

from __future__ import annotations

from ..dtypes import category
from .explanation import Role, Told
from .fakes import fake_operands
from .operation import kernel
from .recognise import Recognised
from .signatures import misfits
from .spelling import Value

_OTHERS = "the others"
_HALVES = ("float16", "bfloat16")
_ROLES: dict[str, Role] = {
    "weight": "weight", "bias": "bias", "mat2": "weight", "parameter": "weight", "parameters": "weight",
    "running_mean": "weight", "running_var": "weight", "out_proj weight": "weight", "offset": "activation",
    "input": "activation", "self": "activation", "mat1": "activation", "query": "activation", "key": "activation",
    "value": "activation", "hidden": "activation", "lhs": "activation", "rhs": "activation", "A": "activation",
    "batch1": "activation", "batch2": "activation", "other": "activation", "source": "activation",
    "tensors": "activation", "grid": "activation",
    "mask": "mask", "attn_mask": "mask", "key_padding_mask": "mask", "condition": "mask",
    "target": "target", "gradient": "gradient", "gradients": "gradient", "grad": "gradient", "grad_output": "gradient",
    "state": "optimizer state", "exp_avg": "optimizer state", "index": "index", "indices": "index",
    "boundaries": "index",
}  # fmt: skip


def operands(found: Recognised, op: str | None) -> tuple[Told, ...]:
    """What the message says of each operand, and what it implies."""
    values = dict(found.match.values)
    words = found.match.words
    told: dict[str, Value] = {name: Value(dtype=dtype or None, device=device or None)
                              for name, dtype, device in found.pattern.operands}  # fmt: skip
    if "wanted" in values:  # "expected backend CUDA and dtype Float but got backend CPU and dtype Float"
        values["expected"] = Value(dtype=values.pop("wanted").dtype, device=values["expected"].device)
        values["found"] = Value(dtype=values.pop("given").dtype, device=values["found"].device)
    if found.pattern.fakes:
        told |= fake_operands(found.message.text, op or "")
    if found.pattern.signatures:
        told |= misfits(found.message.source)
    kernel_device = kernel(words["kernel"])[1] if "kernel" in words else None
    for name, value in values.items():
        shown = _shown(name, found, words)
        if "kernel" in words and name == "found":
            value = Value(dtype=value.dtype, device=value.device or kernel_device or _assumed(op, value.dtype))  # noqa: PLW2901
        before = told.get(shown, Value())
        told[shown] = Value(dtype=value.dtype or before.dtype, device=value.device or before.device)
    arg = words.get("arg")
    if arg and not any(name in values for name in ("found", "expected")) and arg not in told:
        told[_cleaned(arg)] = Value()
    return tuple(
        Told(name=name, role=role(name, op), dtype=value.dtype, device=value.device) for name, value in told.items()
    )


def role(name: str, op: str | None) -> Role:
    """What an operand of this name is in the program."""
    if name in ("mat2", "weight") and op in ("matmul", "bmm", "lerp_", "baddbmm"):
        return "activation"
    if op in ("nll_loss", "cross_entropy", "binary_cross_entropy") and name in ("target", "found"):
        return "target"
    if op == "backward" and name == "found":
        return "gradient"
    return _ROLES.get(name, "")


def _shown(name: str, found: Recognised, words: object) -> str:
    assert isinstance(words, dict)
    arg, other = words.get("arg"), words.get("other")
    if name == "found":
        if arg:
            return _cleaned(arg)
        return "input" if "kernel" in words else "found"
    if name == "expected":
        if other:
            return _cleaned(other)
        return _OTHERS if arg and found.pattern.category == "device-mismatch" else "expected"
    return {"a": "one tensor", "b": "another"}.get(name, name)


def _cleaned(word: str) -> str:
    return word.strip(".,:;()<>").strip()


def _assumed(op: str | None, dtype: str | None) -> str | None:
    """Where a kernel's message names no device: layers lack half kernels on CPUs only."""
    layers = ("layer_norm", "linear", "conv2d", "gelu", "softmax", "baddbmm", "group_norm", "interpolate")
    return "cpu" if dtype == "float16" and op in layers[:5] else None


def differing(told: tuple[Told, ...], what: str) -> bool:
    """Whether operands state different dtypes ("dtype") or devices ("device")."""
    return len({getattr(operand, what) for operand in told} - {None}) > 1


def odd_pair(told: tuple[Told, ...]) -> tuple[str, ...]:
    """The dtypes that the operands state, each once, in order."""
    return tuple(dict.fromkeys(operand.dtype for operand in told if operand.dtype))


def halves(dtypes: tuple[str, ...]) -> tuple[str, ...]:
    """Those of them that are float16 or bfloat16."""
    return tuple(dtype for dtype in dtypes if dtype in _HALVES)


def integers(dtypes: tuple[str, ...]) -> tuple[str, ...]:
    """Those of them that are integers or bool."""
    return tuple(dtype for dtype in dtypes if category(dtype) < 2)
