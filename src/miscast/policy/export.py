"""A policy in the terms of another system: its settings, and what they cannot say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A part of a policy that a system has no setting for."""

    field: str
    """The policy's field: "output_dtype", "overrides"."""
    reason: str
    """The system's behavior instead, and what to do about it."""

    def __str__(self) -> str:
        return f"{self.field}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Settings as plain data, dtypes by name.

    >>> Policy.parse("bf16-mixed").export("fsdp2").build()
    MixedPrecisionPolicy(param_dtype=torch.bfloat16, …)
    """

    system: str
    settings: Mapping[str, Any]
    lost: tuple[Lost, ...] = ()
    target: str = ""
    """The callable that takes the settings: "module:name". Empty if they are part of a larger file."""

    def build(self) -> Any:
        """Return the system's own object, built from the settings. Raises ValueError if the settings form no object."""
        if not self.target:
            raise ValueError(
                f"{self.system}'s settings are part of your own configuration: pass on `settings`"
            )
        import importlib

        from ..core.dtypes import DTYPES
        from .torch_dtypes import torch_dtype

        module, _, name = self.target.partition(":")
        values = {
            key: torch_dtype(v) if v in DTYPES else v
            for key, v in self.settings.items()
        }
        return getattr(importlib.import_module(module), name)(**values)
