"""`dataclass` of the standard library, whose methods are made when one of them is first used.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Location: …

The standard one compiles six functions for each class, which takes a millisecond where a command may take a hundred to
start; most classes that are imported are never made an instance of, and few of the others are compared or printed.
Fields, equality, hash, text, pickling and what type checkers see are the same. For data that is imported by whatever
has to start at once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

_MADE_FOR = {"__init__": "init", "__repr__": "repr", "__eq__": "eq", "__hash__": "eq"}
"""The methods that are made late, and the switch of `dataclasses.dataclass` that makes each."""

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        *, frozen: bool, slots: bool = False, kw_only: bool = False
    ) -> Callable[[type], type]:
        """A decorator for a frozen slotted class without bases; of another kind it is the standard one."""

        def made(cls: type) -> type:
            if not (frozen and slots) or cls.__bases__ != (object,):
                return dataclasses.dataclass(
                    frozen=frozen, slots=slots, kw_only=kw_only
                )(cls)
            return _late(cls, kw_only=kw_only)

        return made


def _late(cls: Any, *, kw_only: bool) -> type:
    """The class with its fields and slots, and in place of each method what makes it."""
    own = set(cls.__dict__) & set(_MADE_FOR)
    told = {
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__name__,  # else a signature is worked out for it
        "__annotations__": cls.__annotations__,
        **{
            name: cls.__dict__[name]
            for name in (*cls.__annotations__, "__post_init__")
            if name in cls.__dict__
        },
    }
    cls.__doc__ = cls.__doc__ or cls.__name__
    bare: Any = dataclasses.dataclass(
        init=False, repr=False, eq=False, slots=True, kw_only=kw_only
    )(cls)
    bare.__dataclass_params__.frozen = True  # what inherits from it is asked to be
    bare.__setattr__, bare.__delattr__ = _refuse_to_set, _refuse_to_delete
    bare.__getstate__, bare.__setstate__ = _state, _restore

    def make(name: str) -> Any:
        """One of the methods, as the standard library makes it for a class of the same fields, from now on in place."""
        only = dict.fromkeys(_MADE_FOR.values(), False) | {_MADE_FOR[name]: True}
        twin: Any = dataclasses.dataclass(frozen=True, kw_only=kw_only, **only)(
            type(cls.__name__, (), dict(told))
        )
        method = twin.__dict__[name]
        setattr(bare, name, method)
        return method

    for name in _MADE_FOR.keys() - own:
        setattr(bare, name, _stand_in(name, make))
    made: type = bare
    return made


def _stand_in(name: str, make: Callable[[str], Any]) -> Callable[..., Any]:
    """A method that is made when it is called."""

    def method(*args: Any, **kwargs: Any) -> Any:
        return make(name)(*args, **kwargs)

    method.__name__ = name
    return method


def _refuse_to_set(_: object, name: str, __: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
