"""Updates of half weights without float32 copies, from libraries that do this well."""

from __future__ import annotations

import importlib
from typing import Any, cast

import torch

from .fields import PolicyError


def rounded(
    rounding: str, cls: type, groups: list[dict[str, Any]], options: dict[str, Any]
) -> torch.optim.Optimizer:
    """Return the optimizer of the same name that compensates ("kahan") or rounds at random ("stochastic").

    Raises PolicyError where the library is missing or has no such optimizer.
    """
    if rounding == "kahan":
        found = _class("optimi", "torch-optimi", rounding, cls.__name__)
        more = {"kahan_sum": True}
    elif rounding == "stochastic":
        # `_AdamW` is what torchao exports for this; a public name would replace it (torchao/optim/__init__.py, 0.18)
        found = _class("torchao.optim", "torchao", rounding, f"_{cls.__name__}")
        more = {"bf16_stochastic_round": True}
    else:
        raise PolicyError(
            f"rounding={rounding!r}: expected 'kahan', 'stochastic', or None for float32 copies"
        )
    try:
        return cast("torch.optim.Optimizer", found(groups, **options, **more))
    except TypeError as error:
        raise PolicyError(
            f"rounding={rounding!r} with {cls.__name__}: {error}"
        ) from None


def _class(module: str, package: str, rounding: str, name: str) -> Any:
    try:
        library = importlib.import_module(module)
    except ImportError:
        raise PolicyError(
            f"rounding={rounding!r} needs {package}: pip install {package}"
        ) from None
    if not hasattr(library, name):
        raise PolicyError(f"rounding={rounding!r}: {package} has no {name.lstrip('_')}")
    return getattr(library, name)
