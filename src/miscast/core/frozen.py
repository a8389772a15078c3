"""`dataclass` of the standard library for frozen slotted classes, without importing it.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Location: …

The standard one imports inspect and ast, and compiles six functions for each class, which takes a millisecond where a
command may take a hundred to start; most classes that are imported are never made an instance of. Here `__init__` is
compiled when the first instance is made, and the other methods need no compiling. Fields, equality, hash, text,
pickling and what type checkers see are the same; what `dataclasses` keeps in a class is made when somebody asks for it.
For data that is imported by whatever has to start at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "field", "replace"]

_NONE: Any = object()
"""No default."""
_NEW: Any = object()
"""A default that is made anew."""


class _Field:
    """The equivalent of `dataclasses.field`."""

    def __init__(self, **given: Any) -> None:
        self.given, self.kind = given, ""
        self.default = given.get("default", _NONE)
        self.default_factory = given.get("default_factory", _NONE)
        self.init, self.repr, self.compare = (
            given.get(name, True) for name in ("init", "repr", "compare")
        )
        self.hash = given.get("hash", self.compare)


if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    field = _Field

    def dataclass(
        *, frozen: bool, slots: bool = False, kw_only: bool = False
    ) -> Callable[[type], type]:
        """Return a decorator for a frozen class that inherits from no other kind.

        Of one that does it is the standard one.
        """

        def made(cls: type) -> type:
            if frozen and all(
                base is object or "__declared__" in base.__dict__
                for base in cls.__bases__
            ):
                return _made(cls, slots=slots, kw_only=kw_only)
            import dataclasses

            standard = dataclasses.dataclass(
                frozen=frozen, slots=slots, kw_only=kw_only
            )
            return standard(cls)

        return made

    def replace(one: Any, **changes: Any) -> Any:
        """Return a changed copy, as `dataclasses.replace`."""
        if own := type(one).__dict__.get("__replace__"):
            return own(one, **changes)
        import dataclasses

        return dataclasses.replace(one, **changes)


def _made(cls: type, *, slots: bool, kw_only: bool) -> type:
    """Return the class with its fields, and what it has not of its own."""
    own = dict(cls.__dict__)
    declared = {
        name: _declared(own.get(name, _NONE), kind)
        for name, kind in cls.__annotations__.items()
    }
    made: Any = (_slotted if slots else _unslotted)(cls, declared)
    made.__declared__ = declared
    fields: dict[str, _Field] = {}
    for base in reversed(made.__mro__):
        fields |= base.__dict__.get("__declared__", {})
    asked = tuple(_those(fields, "init"))
    given = {
        "__doc__": cls.__name__,
        "__match_args__": () if kw_only else asked,
        "__init__": _late_init(made, fields, kw_only=kw_only),
        "__repr__": _shown(_those(fields, "repr")),
        "__eq__": _equal(_those(fields, "compare")),
        "__hash__": _hash(_those(fields, "hash")),
        "__setattr__": _refuse_to_set,
        "__delattr__": _refuse_to_delete,
        "__replace__": _replaced(asked),
    }
    for name, value in given.items():
        if own.get(name) is None:  # __hash__ is None where __eq__ is of its own
            setattr(made, name, value)
    for name in _Standard.NAMES:
        setattr(made, name, _Standard(name, made, fields, kw_only=kw_only))
    result: type = made
    return result


def _those(fields: Mapping[str, _Field], of: str) -> list[str]:
    return [name for name, one in fields.items() if getattr(one, of)]


def _slotted(cls: type, fields: Mapping[str, _Field]) -> type:
    given = {
        name: value
        for name, value in cls.__dict__.items()
        if name not in fields and name not in ("__dict__", "__weakref__")
    }
    pickled = {"__getstate__": _state, "__setstate__": _restore}
    new = tuple(name for name in fields if not hasattr(cls.__base__, name))
    made = type(cls.__name__, cls.__bases__, {**pickled, **given, "__slots__": new})
    made.__qualname__ = cls.__qualname__
    return made


def _unslotted(cls: type, fields: Mapping[str, _Field]) -> type:
    for name, one in fields.items():
        if one.default is not _NONE:
            setattr(cls, name, one.default)
        elif name in cls.__dict__:
            delattr(cls, name)
    return cls


def _declared(value: Any, kind: Any) -> _Field:
    """Return a field of a class's body, which has its default there or what `field` returned."""
    given = () if value is _NONE else {"default": value}
    one = value if isinstance(value, _Field) else _Field(**dict(given))
    if type(one.default).__module__ == "dataclasses":
        raise TypeError("fields are declared by `field` of miscast.core.frozen")
    one.kind = kind
    return one


def _late_init(
    cls: Any, fields: Mapping[str, _Field], *, kw_only: bool
) -> Callable[..., None]:
    """Return an `__init__` that is compiled when it is called."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        cls.__init__ = _init(cls, fields, kw_only=kw_only)
        cls.__init__(self, *args, **kwargs)

    return __init__


def _init(cls: Any, fields: Mapping[str, _Field], *, kw_only: bool) -> Any:
    """Return an `__init__` spelled as in the standard library."""
    names: dict[str, Any] = {"_set": object.__setattr__, "_NEW": _NEW}
    for name, one in fields.items():
        names |= {f"_of_{name}": one.default, f"_new_{name}": one.default_factory}
    asked = [_parameter(name, fields[name]) for name in _those(fields, "init")]
    values = {name: _value(name, one) for name, one in fields.items()}
    body = [f"_set(self, {name!r}, {value})" for name, value in values.items() if value]
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join(("self", *("*" for _ in asked[:1] if kw_only), *asked))
    exec(f"def __init__({parameters}):\n {'; '.join(body) or 'pass'}", names)  # noqa: S102 - of a class's own names
    made = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _parameter(name: str, one: _Field) -> str:
    if one.default_factory is not _NONE:
        return f"{name}=_NEW"
    return name if one.default is _NONE else f"{name}=_of_{name}"


def _value(name: str, one: _Field) -> str:
    """Return what a field is set to, "" if to nothing: then `__post_init__` does it."""
    if one.default_factory is not _NONE:
        made = f"_new_{name}()"
        return f"{made} if {name} is _NEW else {name}" if one.init else made
    if one.init:
        return name
    return "" if one.default is _NONE else f"_of_{name}"


def _shown(names: list[str]) -> Callable[[Any], str]:
    @recursive_repr()
    def __repr__(self: Any) -> str:  # noqa: N807
        told = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({told})"

    return __repr__


def _equal(names: list[str]) -> Callable[[Any, object], bool]:
    values = _values(names)

    def __eq__(self: Any, other: object) -> bool:  # noqa: N807
        if type(other) is not type(self):
            return NotImplemented
        equal: bool = values(self) == values(other)
        return equal

    return __eq__


def _hash(names: list[str]) -> Callable[[Any], int]:
    values = _values(names)

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__


def _values(names: list[str]) -> Callable[[Any], Any]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda one: tuple(getattr(one, name) for name in names)


def _replaced(names: tuple[str, ...]) -> Callable[..., Any]:
    def __replace__(self: Any, /, **changes: Any) -> Any:  # noqa: N807
        kept = {name: getattr(self, name) for name in names if name not in changes}
        return type(self)(**kept, **changes)

    return __replace__


class _Standard:
    """The attributes that `dataclasses` adds to a class, made by it on first access."""

    NAMES = ("__dataclass_fields__", "__dataclass_params__")

    def __init__(
        self, name: str, cls: Any, fields: Mapping[str, _Field], *, kw_only: bool
    ) -> None:
        self._name, self._cls, self._fields, self._kw_only = name, cls, fields, kw_only

    def __get__(self, _: object, owner: type) -> Any:
        """Return the standard library's value, which replaces this descriptor from now on."""
        import dataclasses

        told = {name: getattr(self._cls, name) for name in _TOLD}
        told |= {
            name: dataclasses.field(**one.given) for name, one in self._fields.items()
        }
        told["__annotations__"] = {n: one.kind for n, one in self._fields.items()}
        standard = dataclasses.dataclass(frozen=True, slots=True, kw_only=self._kw_only)
        twin: Any = standard(type(self._cls.__name__, (), told))
        for name in self.NAMES:
            setattr(self._cls, name, getattr(twin, name))
        return getattr(owner, self._name)


def _refuse_to_set(_: object, name: str, __: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_: object, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in type(self).__dataclass_fields__]


def _restore(self: Any, state: list[Any]) -> None:
    for name, value in zip(type(self).__dataclass_fields__, state, strict=True):
        object.__setattr__(self, name, value)


_TOLD = ("__module__", "__qualname__", "__doc__")
