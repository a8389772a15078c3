"""One value that says what runs in which precision.

    >>> Policy.parse("bf16-mixed")
    Policy(param_dtype='float32', compute_dtype='bfloat16', …)
    >>> Policy(param_dtype="bfloat16", overrides={"vae": "float32", "**.norm*": torch.float32, nn.LayerNorm: "float32"})

The names of the fields are those of FSDP and jmp. Dtypes are kept by canonical name; torch is not imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ..dtypes import facts, parse
from . import document
from .exports import export
from .fields import CLASS, PolicyError
from .spelling import parsed, spelled

if TYPE_CHECKING:
    import torch

    from .export import Export

    DTypeLike: TypeAlias = str | torch.dtype | None
    Pattern: TypeAlias = str | type
    Override: TypeAlias = "str | torch.dtype | Policy | None"
    Overrides: TypeAlias = Mapping[Any, Any] | Iterable[tuple[Pattern, Override]]


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Policy:
    """Five dtypes, and exceptions by module; a dtype that is None leaves things as they are.

    An override replaces the fields that it gives, for the modules that it names and all inside them. One that names a
    module itself goes before one that names a module around it; of several that name the same one, the last wins.
    Raises PolicyError for what is no floating-point dtype.
    """

    param_dtype: str | None
    """What parameters are stored in, and so what the optimizer sees."""
    compute_dtype: str | None
    """What the forward runs in; None: `param_dtype`. Another than the parameters' makes an autocast region."""
    output_dtype: str | None
    """What leaves the model, or the named module; None: as it was computed."""
    reduce_dtype: str | None
    """What gradients are accumulated and reduced in."""
    buffer_dtype: str | None
    """What buffers are stored in; None: `param_dtype`."""
    overrides: tuple[tuple[str, Policy], ...]
    """Pattern and exception: `vae`, `*norm*` (at any depth), `blocks.*.norm` (a star stays within a name, two cross
    dots), `class:LayerNorm`."""

    def __init__(  # noqa: PLR0913 - one per field
        self,
        *,
        param_dtype: DTypeLike = None,
        compute_dtype: DTypeLike = None,
        output_dtype: DTypeLike = None,
        reduce_dtype: DTypeLike = None,
        buffer_dtype: DTypeLike = None,
        overrides: Overrides = (),
    ) -> None:
        """Dtypes by torch's own objects or by any spelling; overrides with a dtype, a short name or a Policy each."""
        given = {
            "param_dtype": param_dtype,
            "compute_dtype": compute_dtype,
            "output_dtype": output_dtype,
            "reduce_dtype": reduce_dtype,
            "buffer_dtype": buffer_dtype,
        }
        for name, value in given.items():
            object.__setattr__(self, name, _dtype(name, value))
        pairs = overrides.items() if isinstance(overrides, Mapping) else overrides
        object.__setattr__(
            self,
            "overrides",
            tuple((_pattern(key), _override(key, value)) for key, value in pairs),
        )

    @classmethod
    def parse(cls, text: str) -> Policy:
        """The policy of a short name ("bf16-mixed", "16-true"), of a dtype, or of jmp's "params=…,compute=…,output=…".

        Raises PolicyError, with the nearest name that is known.
        """
        return cls._read(parsed(text))

    @classmethod
    def of(cls, policy: Policy | str | torch.dtype) -> Policy:
        """A policy as it is, or what a name or a dtype stands for."""
        return policy if isinstance(policy, Policy) else cls.parse(str(policy))

    @classmethod
    def from_toml(cls, text: str) -> Policy:
        """What `to_toml` wrote. Raises PolicyError."""
        return cls._read(document.from_toml(text))

    @classmethod
    def from_json(cls, text: str) -> Policy:
        """What `to_json` wrote. Raises PolicyError."""
        return cls._read(document.from_json(text))

    @classmethod
    def read(cls, path: str) -> Policy:
        """The policy in a file that ends with .toml or .json. Raises PolicyError and OSError."""
        return document.read(path, cls._read)

    @classmethod
    def _read(cls, fields: document.Fields) -> Policy:
        pairs = fields.get("overrides", {}).items()
        overrides = [
            (pattern, said if isinstance(said, str) else cls._read(said))
            for pattern, said in pairs
        ]
        return cls(**{**fields, "overrides": overrides})

    def to_toml(self) -> str:
        """TOML that `from_toml` reads as this policy."""
        return document.to_toml(self)

    def to_json(self) -> str:
        """JSON that `from_json` reads as this policy."""
        return document.to_json(self)

    def write(self, path: str) -> None:
        """Write a file that `read` reads as this policy."""
        document.write(self, path)

    def export(self, system: str) -> Export:
        """This policy in the terms of accelerate, deepspeed, fsdp, fsdp2, lightning or transformers; what is lost."""
        return export(self, system)

    def optimizer(
        self, model: Any, cls: type, *, rounding: str | None = None, **options: Any
    ) -> torch.optim.Optimizer:
        """An optimizer of class `cls` that steps half weights of `model` in float32: see docs/policy.md.

        `model` is a module, or parameters, or parameter groups. `rounding` is "kahan" or "stochastic": then there are
        no float32 copies, and updates are compensated (torch-optimi) or rounded at random (torchao) instead.
        """
        from .optimizer import optimizer

        return optimizer(self, model, cls, rounding=rounding, **options)

    def __str__(self) -> str:
        return spelled(self)


def _dtype(field: str, value: DTypeLike) -> str | None:
    if value is None:
        return None
    try:
        name = parse(str(value))
    except ValueError as error:
        raise PolicyError(f"{field}: {error}") from None
    if facts(name).kind != "float":
        raise PolicyError(
            f"{field}: {name} is not a floating-point dtype; integers, booleans and complex numbers are not changed"
        )
    return name


def _pattern(key: Pattern) -> str:
    if isinstance(key, type):
        return f"{CLASS}{key.__module__}.{key.__qualname__}"
    if not str(key).removeprefix(CLASS):
        raise PolicyError(
            f"an override key must be a module path, {CLASS}Name or a class, not {key!r}"
        )
    return key


def _override(key: Pattern, value: Override) -> Policy:
    if isinstance(value, Policy):
        if value.overrides:
            raise PolicyError(
                f"the override {_pattern(key)!r} has its own overrides: write them all in one list"
            )
        if value != Policy():
            return value
    if value is None or isinstance(value, Policy):
        raise PolicyError(
            f"the override {_pattern(key)!r} is empty: give it a dtype or a Policy"
        )
    try:
        dtype = _dtype("dtype", value)
    except PolicyError as error:
        try:
            return Policy.parse(str(value))
        except PolicyError:
            raise PolicyError(
                f"override {_pattern(key)!r}: {str(error).removeprefix('dtype: ')}"
            ) from None
    return Policy(param_dtype=dtype, compute_dtype=dtype)
