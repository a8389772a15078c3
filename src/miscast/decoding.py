"""Frozen data from what JSON makes of it: the types say what belongs where, and nothing else is taken."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def read(kind: Callable[..., T], data: object) -> T:
    """An object of a dataclass from the dictionary that `dataclasses.asdict` made. Raises ValueError with one line."""
    if not isinstance(data, dict):
        raise ValueError(f"{_name(kind)}: an object is wanted, not {type(data).__name__}")  # noqa: TRY004 - bad data
    hints = _hints(kind)
    unknown = set(data) - set(hints)
    if unknown:
        raise ValueError(f"{_name(kind)} has no {min(map(str, unknown))[:40]!r}")
    try:
        return kind(**{name: _value(hints[name], value) for name, value in data.items()})
    except TypeError as error:
        raise ValueError(f"{_name(kind)}: {error}") from error


def _name(kind: Callable[..., Any]) -> str:
    return str(getattr(kind, "__name__", kind))


@cache
def _hints(kind: Callable[..., Any]) -> dict[str, Any]:
    return get_type_hints(kind)


def _value(hint: Any, data: Any) -> Any:
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if data is None and type(None) in inside:
            return None
        return _value(next(one for one in inside if one is not type(None)), data)
    if origin is Literal:
        if data not in inside:
            raise ValueError(f"{str(data)[:40]!r} is none of {', '.join(map(str, inside))}")
        return data
    if origin is tuple:
        items = _as(list, data)
        if inside[1:] == (...,):
            return tuple(_value(inside[0], item) for item in items)
        return tuple(_value(one, item) for one, item in zip(inside, items, strict=True))
    if origin is Mapping:
        return {_as(str, key): _value(inside[1], value) for key, value in _as(dict, data).items()}
    make: Callable[..., Any] = hint
    return read(make, data) if dataclasses.is_dataclass(hint) else _as(hint, data)


def _as(kind: Any, data: Any) -> Any:
    if not isinstance(data, kind) or (isinstance(data, bool) and kind is not bool):
        raise ValueError(f"{kind.__name__} is wanted, not {type(data).__name__}")
    return data
