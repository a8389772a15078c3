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

from ..core.dtypes import facts, parse
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
    """A precision policy: five dtypes, and exceptions by module. A dtype of None changes nothing.

    An override replaces the fields that it sets, for the modules that its pattern matches and everything inside them.
    An override for a module itself beats one for a module around it. If several match the same module, the last wins.

    Raises:
        PolicyError: A dtype is not a floating-point dtype.

    Attributes:
        param_dtype: Parameters are stored in it, so the optimizer updates it.
        compute_dtype: The forward pass runs in it. None takes `param_dtype`. If it differs from `param_dtype`, the
            model runs under autocast.
        output_dtype: The outputs of the model, or of the module, are cast to it. None leaves them unchanged.
        reduce_dtype: Gradients are accumulated and reduced in it.
        buffer_dtype: Buffers are stored in it. None takes `param_dtype`.
        overrides: Pairs of a pattern and a policy. Patterns: `vae`, `*norm*` (at any depth), `blocks.*.norm` (a star
            matches within a name, two stars across dots), `class:LayerNorm`.
    """

    param_dtype: str | None
    compute_dtype: str | None
    output_dtype: str | None
    reduce_dtype: str | None
    buffer_dtype: str | None
    overrides: tuple[tuple[str, Policy], ...]

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
        """Take dtypes as torch dtypes or names, and each override as a dtype, a short name or a Policy."""
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
        """Return the policy of a short name ("bf16-mixed", "16-true"), a dtype, or jmp's "params=…,compute=…,output=…".

        Raises:
            PolicyError: The text is no policy. The message suggests the nearest known name.
        """
        return cls._read(parsed(text))

    @classmethod
    def of(cls, policy: Policy | str | torch.dtype) -> Policy:
        """Return a policy unchanged, or the policy of a name or a dtype."""
        return policy if isinstance(policy, Policy) else cls.parse(str(policy))

    @classmethod
    def from_toml(cls, text: str) -> Policy:
        """Read a policy from the text that `to_toml` returns. Raises PolicyError."""
        return cls._read(document.from_toml(text))

    @classmethod
    def from_json(cls, text: str) -> Policy:
        """Read a policy from the text that `to_json` returns. Raises PolicyError."""
        return cls._read(document.from_json(text))

    @classmethod
    def read(cls, path: str) -> Policy:
        """Read a policy from a .toml or .json file. Raises PolicyError and OSError."""
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
        """Return the policy as TOML, for `from_toml`."""
        return document.to_toml(self)

    def to_json(self) -> str:
        """Return the policy as JSON, for `from_json`."""
        return document.to_json(self)

    def write(self, path: str) -> None:
        """Write the policy to a .toml or .json file, for `read`."""
        document.write(self, path)

    def export(self, system: str) -> Export:
        """Return the settings of accelerate, deepspeed, fsdp, fsdp2, lightning or transformers for this policy.

        `Export.lost` lists what the system cannot express.
        """
        return export(self, system)

    def optimizer(
        self, model: Any, cls: type, *, rounding: str | None = None, **options: Any
    ) -> torch.optim.Optimizer:
        """Return an optimizer that updates half-precision weights in float32.

        Args:
            model: A module, parameters or parameter groups.
            cls: The class of the optimizer.
            rounding: None keeps float32 master weights. "kahan" compensates updates instead (torch-optimi),
                "stochastic" rounds them at random (torchao).
            **options: Arguments of the optimizer, such as `lr`.
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
