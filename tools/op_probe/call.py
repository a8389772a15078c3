"""One ATen call, kept so that it can be repeated with other operands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch

from miscast.running.torch_abi import OpOverload
from miscast.torch_facts.contracts.contract import PYTHON_NUMBER
from miscast.torch_facts.contracts.signature import LETTERS, UNKNOWN, token

NUMBERS: dict[type, str] = {
    bool: "bool", int: "int64", float: "float32", complex: "complex64",
}  # fmt: skip
_NAMES = {getattr(torch, name): name for name in LETTERS if hasattr(torch, name)}


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of an operand: the argument's position or keyword, and its index in a list or None."""

    name: str
    key: int | str
    item: int | None = None


class Form:
    """The parts of an op's schema for a sweep."""

    __slots__ = ("dtyped", "into", "name", "names", "numbers", "op", "written")

    def __init__(self, op: OpOverload) -> None:
        """Read the schema."""
        schema = op._schema
        self.op = op
        name = schema.name.replace("::", ".")
        self.name = ".".join(filter(None, (name, schema.overload_name)))
        types = {a.name: str(a.type) for a in schema.arguments}
        self.names = tuple(types)
        self.numbers = frozenset(
            name
            for name, kind in types.items()
            if kind in ("number", "Optional[number]")
        )
        written = [
            a
            for a in schema.arguments
            if a.alias_info is not None and a.alias_info.is_write
        ]
        self.written = frozenset(a.name for a in written)
        self.into = any(a.kwarg_only for a in written)
        # `dtype=` overrides what the operands' dtypes would demand, and no table speaks of it. (The backward ops'
        # `input_dtype`, which follows from the forward call, is no option: a check goes by what is declared.)
        self.dtyped = frozenset(
            {"dtype"} if types.get("dtype") == "Optional[int]" else ()
        )


form = lru_cache(maxsize=None)(Form)


class Call:
    """An op with its arguments; `slots` and `values` are its operands, in the order of the schema."""

    __slots__ = ("args", "form", "kwargs", "lists", "operands", "slots", "values")

    def __init__(self, form: Form, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        """Find the operands."""
        self.form, self.args, self.kwargs = form, tuple(args), kwargs
        self.slots: list[Slot] = []
        self.values: list[Any] = []
        self.lists: set[str] = set()
        for i, (name, value) in enumerate(zip(form.names, args, strict=False)):
            self._take(name, i, value)
        for name in form.names:
            if name in kwargs:
                self._take(name, name, kwargs[name])
        self.operands = tuple(dict.fromkeys(slot.name for slot in self.slots))

    def _take(self, name: str, key: int | str, value: Any) -> None:
        """Add an argument that is an operand, or a list with some."""
        if isinstance(value, torch.Tensor) or (
            name in self.form.numbers and type(value) in NUMBERS
        ):
            self._add(Slot(name, key), value)
        elif isinstance(value, (list, tuple)):
            within = [
                (i, item)
                for i, item in enumerate(value)
                if isinstance(item, torch.Tensor)
            ]
            for i, item in within:
                self._add(Slot(name, key, i), item)
            self.lists |= {name} if within else set()

    def _add(self, slot: Slot, value: Any) -> None:
        self.slots.append(slot)
        self.values.append(value)

    def signature(self, tokens: Sequence[str] | None = None) -> str:
        """Return the operands as written in a table; with other tokens, those of a changed call."""
        tokens = self.tokens() if tokens is None else tokens
        if not self.lists:
            return "".join(tokens)
        written: dict[str, list[str]] = {}
        for slot, one in zip(self.slots, tokens, strict=True):
            met = written.setdefault(slot.name, [])
            if one not in met:
                met.append(one)
        return "".join(
            f"({''.join(met)})" if name in self.lists else met[0]
            for name, met in written.items()
        )

    def tokens(self) -> list[str]:
        """Return the tokens of the unchanged operands."""
        return [token_of(value) for value in self.values]

    def arguments(self, values: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments with other operands."""
        args, kwargs = list(self.args), dict(self.kwargs)
        for slot, value in zip(self.slots, values, strict=True):
            place: Any = args if isinstance(slot.key, int) else kwargs
            if slot.item is None:
                place[slot.key] = value
            else:
                if slot.item == self.first(slot):
                    place[slot.key] = list(place[slot.key])
                place[slot.key][slot.item] = value
        return args, kwargs

    def first(self, slot: Slot) -> int | None:
        """Return the place of the first tensor in the slot's list."""
        return next(s.item for s in self.slots if s.key == slot.key)

    def with_values(self, values: Sequence[Any]) -> Call:
        """Return the call with other operands."""
        return Call(self.form, *self.arguments(values))

    def settings(self) -> str:
        """Return the other arguments, as text."""
        taken = {slot.key for slot in self.slots}
        plain = [
            (k, a)
            for k, a in (*enumerate(self.args), *self.kwargs.items())
            if k not in taken
        ]
        return repr([(k, a) for k, a in plain if not isinstance(a, torch.Tensor)])

    def dims(self) -> tuple[int, ...]:
        """Return the number of dimensions by operand; -1 for Python numbers."""
        return tuple(
            v.dim() if isinstance(v, torch.Tensor) else PYTHON_NUMBER
            for v in self.values
        )


def token_of(value: Any) -> str:
    """Return an operand's token."""
    if isinstance(value, torch.Tensor):
        return token(dtype_name(value.dtype), value.dim())
    return token(NUMBERS[type(value)], PYTHON_NUMBER)


def token_after(value: Any, to: Any) -> str:
    """Return an operand's token once it is changed to a dtype, or to a kind of number."""
    if isinstance(value, torch.Tensor):
        return token(dtype_name(to), value.dim())
    return token(NUMBERS[to], PYTHON_NUMBER)


def dtype_name(dtype: torch.dtype) -> str:
    """Return a dtype's name in tables, or `UNKNOWN`."""
    return _NAMES.get(dtype, UNKNOWN)


def letters(result: Any) -> str:
    """Return the dtypes of a result, "hf", of a list "(h)"; values other than tensors do not count."""
    if isinstance(result, torch.Tensor):
        return LETTERS.get(dtype_name(result.dtype), UNKNOWN)
    if isinstance(result, (list, tuple)):
        inside = [LETTERS.get(dtype_name(t.dtype), UNKNOWN) for t in tensors(result)]
        listed = isinstance(result, list)
        if listed and inside:
            return f"({''.join(dict.fromkeys(inside))})"
        return "".join(inside)
    return ""


def tensors(result: Any) -> Iterator[torch.Tensor]:
    """Yield all tensors of a result."""
    if isinstance(result, torch.Tensor):
        yield result
    elif isinstance(result, (list, tuple)):
        for one in result:
            yield from tensors(one)
