"""flash-attn for Transformers, which looks whether it is installed: given when a model asks for `flash_attention_2`."""

from __future__ import annotations

import functools
import sys
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ...running.process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from . import Give

_ASKED = "flash_attention_2"
_PACKAGE, _DISTRIBUTION = "flash_attn", "flash-attn"
_CHECKS = (
    "_check_and_adjust_attn_implementation",
    "_flash_attn_can_dispatch",
    "_flash_attn_2_can_dispatch",
)
_NAMES, _FUNCTIONS = (
    "transformers.utils.import_utils",
    "transformers.modeling_flash_attention_utils",
)


def _models(module: ModuleType, give: Give) -> Iterator[Patch]:
    """Yield patches of Transformers from 4.56 on, which imports the kernels when a model requests them."""
    kind = getattr(module, "PreTrainedModel", None)
    for name in _CHECKS:
        check = vars(kind).get(name) if kind is not None else None
        if isinstance(check, FunctionType) and hasattr(
            sys.modules.get(_FUNCTIONS), "_lazy_imports"
        ):
            yield Patch(kind, name, _giving(check, give, always=name == _CHECKS[-1]))


def _giving(check: FunctionType, give: Give, *, always: bool) -> Callable[..., Any]:
    @functools.wraps(check)
    def checked(model: Any, *args: Any, **kwargs: Any) -> Any:
        wanted = (*args, *kwargs.values())
        if (
            always
            or 2 in wanted
            or any(isinstance(one, str) and one.endswith(_ASKED) for one in wanted)
        ):
            give(_PACKAGE, _seen())
        return check(model, *args, **kwargs)

    return checked


@contextmanager
def _seen() -> Iterator[None]:
    """Keep the package visible to Transformers for the block; it looks again at the start and at the end."""
    installed = getattr(sys.modules[_NAMES], "PACKAGE_DISTRIBUTION_MAPPING", {})
    functions = vars(sys.modules[_FUNCTIONS])
    # what it keeps of an implementation
    unset = {name: None for name, value in functions.items() if value is None}
    installed[_PACKAGE] = [_DISTRIBUTION]
    _forget()
    try:
        yield
    finally:
        del installed[_PACKAGE]
        _forget()
        functions.update(unset)


def _forget() -> None:
    for name, function in list(vars(sys.modules[_NAMES]).items()):
        if name.startswith("is_flash_attn") and hasattr(function, "cache_clear"):
            function.cache_clear()


ASKED = {"transformers.modeling_utils": _models}
