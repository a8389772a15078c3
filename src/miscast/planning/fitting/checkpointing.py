"""The switch of a model for computing activations anew in backward, as transformers and diffusers have it."""

from __future__ import annotations

from typing import Any

_SWITCHES = ("gradient_checkpointing_enable", "enable_gradient_checkpointing")
_ON = "gradient_checkpointing"


def state(model: Any) -> str:
    """Return the answer is "on" or "can".

    "" where there is no switch, or the model says that it has nothing to switch.
    """
    if any(getattr(one, _ON, False) is True for one in model.modules()):
        return "on"
    if _switch(model) is None:
        return ""
    for said in ("supports_gradient_checkpointing", "_supports_gradient_checkpointing"):
        if getattr(model, said, True) is False:
            return ""
    return "can"


def switch_on(model: Any) -> None:
    """Turn the model's switch on; does nothing if it is on already, or there is none."""
    switch = _switch(model)
    if switch is not None and state(model) == "can":
        switch()


def _switch(model: Any) -> Any:
    return next((getattr(model, n) for n in _SWITCHES if hasattr(model, n)), None)
