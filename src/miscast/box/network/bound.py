"""The arguments of a call, by name."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any


def bound(signature: Signature, /, *given: Any, **named: Any) -> dict[str, Any]:
    """Return what goes where; without the names that a library's decorator takes away before the function is called.

    Transformers gives `proxies` to every download, which huggingface_hub has not known since 1.0.
    """
    takes_all = any(
        parameter.kind is Parameter.VAR_KEYWORD
        for parameter in signature.parameters.values()
    )
    known = {
        name: value
        for name, value in named.items()
        if takes_all or name in signature.parameters
    }
    return dict(signature.bind(*given, **known).arguments)
