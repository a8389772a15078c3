"""Policies as TOML and JSON: what is written is read back as the same value."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core.atomic_write import write_atomically
from ..core.similar import similar
from .fields import DTYPES, PolicyError
from .spelling import parsed

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found,unused-ignore]

if TYPE_CHECKING:
    from .policy import Policy

Fields: TypeAlias = Mapping[str, Any]
"""A policy as its fields: dtypes by name; `overrides` by pattern, each a short name or fields of its own."""
_KNOWN = (*DTYPES, "overrides")
_LIMIT = 1 << 20
"""Characters of a policy file: more is a mistake."""


def to_json(policy: Policy) -> str:
    """Return an object with the fields that say something; overrides in their order."""
    return json.dumps(_data(policy), indent=2, ensure_ascii=False) + "\n"


def to_toml(policy: Policy) -> str:
    """Return the same as TOML: the fields, then a table of overrides."""
    data = _data(policy)
    overrides = data.pop("overrides", {})
    lines = [f"{key} = {_quoted(value)}" for key, value in data.items()]
    if overrides:
        lines += ["", "[overrides]  # if several match a module, the last one applies"]
        lines += [
            f"{_quoted(pattern)} = {_inline(value)}"
            for pattern, value in overrides.items()
        ]
    return "\n".join(lines) + "\n"


def from_json(text: str) -> Fields:
    """Read a policy's fields. Raises PolicyError for invalid JSON, and for unknown or repeated keys."""
    try:
        data = json.loads(_bounded(text), object_pairs_hook=_once)
    except PolicyError:
        raise
    except (ValueError, RecursionError) as error:
        raise PolicyError(f"not JSON: {error}") from None
    return _fields(data)


def from_toml(text: str) -> Fields:
    """Read a policy's fields. Raises PolicyError for invalid TOML, and for unknown keys."""
    try:
        data = tomllib.loads(_bounded(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise PolicyError(f"not TOML: {error}") from None
    return _fields(data)


_READERS = {".toml": from_toml, ".json": from_json}
_WRITERS = {".toml": to_toml, ".json": to_json}


def read(path: str, build: Callable[[Fields], Policy]) -> Policy:
    """Read a policy in the format of the file's suffix; errors, also of `build`, begin with the file's name."""
    reader = _READERS[_ending(path)]
    try:
        return build(reader(Path(path).read_text("utf-8")))
    except PolicyError as error:
        raise PolicyError(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise PolicyError(f"{path}: not UTF-8 text") from None


def write(policy: Policy, path: str) -> None:
    """Write a policy in the format of the file's suffix."""
    write_atomically(path, _WRITERS[_ending(path)](policy).encode())


def _ending(path: str) -> str:
    ending = Path(path).suffix.lower()
    if ending not in _READERS:
        raise PolicyError(f"{path}: a policy file must end in .toml or .json")
    return ending


def _bounded(text: str) -> str:
    if len(text) > _LIMIT:
        raise PolicyError(f"{len(text):,} characters are too many for a policy")
    return text


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(
            key for index, (key, _) in enumerate(pairs) if key in dict(pairs[:index])
        )
        raise PolicyError(f"{twice!r} appears twice")
    return found


def _data(policy: Policy) -> dict[str, Any]:
    data: dict[str, Any] = {
        field: value
        for field in DTYPES
        if (value := getattr(policy, field)) is not None
    }
    overrides: dict[str, Any] = {}
    for pattern, override in policy.overrides:
        if pattern in overrides:
            raise PolicyError(
                f"the override {pattern!r} appears twice: a file can hold it only once"
            )
        said, dtype = _data(override), override.param_dtype
        overrides[pattern] = (
            dtype if said == {"param_dtype": dtype, "compute_dtype": dtype} else said
        )
    return {**data, "overrides": overrides} if overrides else data


def _fields(data: Any) -> Fields:
    if isinstance(data, str):
        return parsed(data)
    if not isinstance(data, Mapping):
        raise PolicyError(
            f"a policy must be a table with {', '.join(_KNOWN)}, not {type(data).__name__}"
        )
    for key, value in data.items():
        _check(key, value)
    overrides = {
        key: said if isinstance(said, str) else _fields(said)
        for key, said in data.get("overrides", {}).items()
    }
    return {**data, "overrides": overrides}


def _check(key: str, value: object) -> None:
    if key not in _KNOWN:
        hint = similar(str(key), _KNOWN, f"expected {', '.join(_KNOWN)}")
        raise PolicyError(f"unknown policy field {str(key)[:40]!r}: {hint}")
    if key == "overrides":
        if not isinstance(value, Mapping):
            raise PolicyError("overrides must be a table of pattern = dtype")
    elif not isinstance(value, str):
        raise PolicyError(f"{key} must be the name of a dtype, not {value!r}")


def _quoted(text: str) -> str:
    # a JSON string is a TOML one, but for DEL
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _inline(value: str | Mapping[str, str]) -> str:
    if isinstance(value, str):
        return _quoted(value)
    pairs = ", ".join(f"{key} = {_quoted(dtype)}" for key, dtype in value.items())
    return f"{{ {pairs} }}"
