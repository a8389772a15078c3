"""Nested data with tensors inside: walked, and rebuilt only where something changed.

Opened are lists, tuples, named tuples, mappings (`BatchEncoding`, `ModelOutput`), dataclasses and `PackedSequence`.
Everything else is left as it is: a cache object, a distribution, a module.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch.nn.utils.rnn import PackedSequence

Leaf = Callable[[torch.Tensor, str | None], torch.Tensor]
"""Gets a tensor and the innermost name that it stands under, an argument's, a key's or a field's."""
_PLAIN = (str, bytes, int, float, complex, type(None))


def mapped(tree: Any, leaf: Leaf, name: str | None = None) -> Any:
    """Return the tree with `leaf` applied to each tensor; the very same object if that changed none."""
    if isinstance(tree, torch.Tensor):
        return leaf(tree, name)
    if isinstance(tree, _PLAIN):
        return tree
    if type(tree) is dict:
        return _mapped_dict(tree, leaf, name)
    if isinstance(tree, PackedSequence):  # its batch sizes stay on the CPU
        packed: Any = tree
        data = leaf(packed.data, name)
        if data is packed.data:
            return tree
        return packed.to(device=data.device, dtype=data.dtype)
    parts = opened(tree)
    values = [mapped(value, leaf, key or name) for _, key, value in parts]
    if all(new is old for new, (_, _, old) in zip(values, parts, strict=True)):
        return tree
    return _rebuilt(tree, values)


def _mapped_dict(tree: dict[Any, Any], leaf: Leaf, name: str | None) -> dict[Any, Any]:
    """Map a dict, the most common batch, by a plain loop, which `torch.compile` traces."""
    found: dict[Any, Any] = {}
    changed = False
    for key, value in tree.items():
        new = mapped(value, leaf, key if isinstance(key, str) else name)
        changed = changed or new is not value
        found[key] = new
    return found if changed else tree


def tensors(
    tree: Any, path: str, name: str | None = None
) -> Iterator[tuple[str, str | None, torch.Tensor]]:
    """Yield each tensor with its path, `batch["pixel_values"][0]`, and its innermost name."""
    if isinstance(tree, torch.Tensor):
        yield path, name, tree
    elif isinstance(tree, PackedSequence):
        yield f"{path}.data", name, tree.data
    elif not isinstance(tree, _PLAIN):
        for step, key, value in opened(tree):
            yield from tensors(value, path + step, key or name)


def opened(tree: Any) -> list[tuple[str, str | None, Any]]:
    """Return a container's items: access expression, name and value. Empty for other objects."""
    if isinstance(tree, Mapping):
        spelled = (f'"{key}"' if isinstance(key, str) else repr(key) for key in tree)
        return [
            (f"[{s}]", str(key), tree[key])
            for s, key in zip(spelled, tree, strict=True)
        ]
    names = _field_names(tree)
    if isinstance(tree, (list, tuple)) and not names:
        return [(f"[{index}]", None, value) for index, value in enumerate(tree)]
    return [(f".{key}", key, getattr(tree, key)) for key in names if hasattr(tree, key)]


def _field_names(tree: Any) -> tuple[str, ...]:
    """Return the fields of a named tuple or of a dataclass."""
    if isinstance(tree, tuple):
        return getattr(tree, "_fields", ())
    if dataclasses.is_dataclass(tree) and not isinstance(tree, (type, torch.nn.Module)):
        return tuple(field.name for field in dataclasses.fields(tree))
    return ()


def _rebuilt(tree: Any, values: list[Any]) -> Any:
    kind = type(tree)
    if kind in (list, tuple):
        return kind(values)
    if isinstance(tree, Mapping):
        items = dict(zip(tree, values, strict=True))
        # a ModelOutput: its keys are its fields, and an attribute follows its key
        if dataclasses.is_dataclass(tree):
            return kind(**items)
        return _assigned(tree, items)
    if isinstance(tree, tuple):
        return kind(*values) if hasattr(tree, "_fields") else kind(values)
    if isinstance(tree, list):
        changed = copy.copy(tree)
        changed[:] = values
        return changed
    changed = copy.copy(tree)
    for (_, key, _), value in zip(opened(tree), values, strict=True):
        object.__setattr__(changed, str(key), value)  # frozen dataclasses too
    return changed


def _assigned(tree: Mapping[Any, Any], items: dict[Any, Any]) -> Any:
    """Return a mapping of the same class, with what else it carries (a default, encodings)."""
    try:
        changed: Any = copy.copy(tree)
        for key, value in items.items():
            changed[key] = value
    except TypeError:  # a read-only view
        return items
    return changed
