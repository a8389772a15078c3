"""The operands of a recognised message, in one spelling, each with its role."""

from __future__ import annotations

from ..core.event import Operand, Role, TensorMeta
from ..core.ops import entry
from .listed import listed
from .operation import kernel
from .recognise import Recognised
from .spelling import Value

_OTHERS = "the others"
_ROLES: dict[str, Role] = {
    "weight": "weight", "bias": "bias", "mat2": "weight", "parameter": "weight", "parameters": "weight",
    "running_mean": "weight", "running_var": "weight", "out_proj weight": "weight", "offset": "activation",
    "input": "activation", "self": "activation", "mat1": "activation", "query": "activation",
    "key": "activation", "value": "activation", "hidden": "activation", "lhs": "activation",
    "rhs": "activation", "A": "activation", "batch1": "activation", "batch2": "activation",
    "other": "activation", "source": "activation", "tensors": "activation", "grid": "activation",
    "mask": "mask", "attn_mask": "mask", "key_padding_mask": "mask", "condition": "mask", "target": "target",
    "gradient": "gradient", "gradients": "gradient", "grad": "gradient", "grad_output": "gradient",
    "state": "optimizer state", "exp_avg": "optimizer state", "index": "index", "indices": "index",
    "boundaries": "index",
}  # fmt: skip


def operands(found: Recognised, op: str | None) -> tuple[Operand, ...]:
    """Return what the message says of each operand, and what it implies."""
    told = {
        name: Value(dtype=dtype or None, device=device or None)
        for name, dtype, device in found.pattern.operands
    }
    told |= listed(found, op or "")
    names = _names(found)
    for name, value in _values(found, op).items():
        shown = names.get(name, name)
        told[shown] = value.filled(told.get(shown, Value()))
    argument = _cleaned(found.match.words.get("arg", ""))
    if argument and not found.match.values.keys() & {"found", "expected"}:
        told.setdefault(argument, Value())
    return tuple(_operand(name, value, argument, op) for name, value in told.items())


def _operand(name: str, value: Value, argument: str, op: str | None) -> Operand:
    of_others = _role_of_others(argument, op) if name == _OTHERS else role(name, op)
    dtype, device = value.dtype or "", value.device or ""
    tensor = TensorMeta(dtype=dtype, device=device, shape=None)
    return Operand(name=name, role=of_others, tensor=tensor)


def role(name: str, op: str | None) -> Role:
    """Return what an operand of this name is in the program."""
    return entry(op).roles.get(name) or _ROLES.get(name, "")


def _role_of_others(argument: str, op: str | None) -> Role:
    """Return the role of a layer's other operands, whose devices torch compares first: an input's weight or bias."""
    if not entry(op).layer:
        return ""
    named = role(argument, op)
    beside: dict[Role, Role] = {
        "activation": "weight",
        "index": "weight",
        "weight": "activation",
    }
    return beside.get(named, "")


def _values(found: Recognised, op: str | None) -> dict[str, Value]:
    """Return what was read of tensors; what a kernel found is on the kernel's device."""
    values = dict(found.match.values)
    if "found" in values and "kernel" in found.match.words:
        dtype = values["found"].dtype
        device = kernel(found.match.words["kernel"])[1] or (
            "cpu" if dtype == "float16" and entry(op).half_but_on_cpu else None
        )
        values["found"] = values["found"].filled(Value(device=device))
    return values


def _names(found: Recognised) -> dict[str, str]:
    """Return how the operands are called that a template names by their part in the message."""
    words = found.match.words
    argument, other = (_cleaned(words.get(name, "")) for name in ("arg", "other"))
    unnamed = "expected"
    if argument and found.pattern.category == "device-mismatch":
        unnamed = _OTHERS
    return {
        "found": argument or ("input" if "kernel" in words else "found"),
        "expected": other or unnamed,
        "a": "one tensor",
        "b": "another",
    }


def _cleaned(word: str) -> str:
    return word.strip(".,:;()<>").strip()


def dtypes(told: tuple[Operand, ...]) -> tuple[str, ...]:
    """Return the dtypes that the operands state, each once, in order."""
    return tuple(dict.fromkeys(operand.dtype for operand in told if operand.dtype))


def devices(told: tuple[Operand, ...]) -> tuple[str, ...]:
    """Return the devices that the operands state, each once, in order."""
    return tuple(dict.fromkeys(operand.device for operand in told if operand.device))
