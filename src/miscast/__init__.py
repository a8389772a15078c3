"""Find the dtype, device and precision mistakes of a PyTorch program before it runs on a GPU.

    >>> report = miscast.check(train_step, model, batch, machine="4xv100")
    >>> print(report)
    error[operand-dtype-mismatch]  linear mixes float32 `input` with float16 `weight`
      …

Importing this package imports nothing else: each name is loaded when it is first used, torch when a program is run.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it: importing typing alone takes 20 ms
if TYPE_CHECKING:
    from .api import CannotRunError, check, check_program, explain, shadow
    from .core.event import Assumption, Event, Location, Operand, TensorMeta
    from .core.finding import Edit, Finding, Fix, RankedCause, Related
    from .core.machines import UnknownMachineError
    from .guarding import Trip, TrippedError, guard
    from .policy import MismatchError, Policy, PolicyError, apply, cast, expect
    from .report import Report

__version__ = "0.1.0"
__all__ = [
    "Assumption", "CannotRunError", "Edit", "Event", "Finding", "Fix", "Location",
    "MismatchError", "Operand", "Policy", "PolicyError", "RankedCause", "Related",
    "Report", "TensorMeta", "Trip", "TrippedError", "UnknownMachineError", "__version__",
    "apply", "cast", "check", "check_program", "expect", "explain", "guard", "shadow",
]  # fmt: skip

_HOMES = {
    "api": ("CannotRunError", "check", "check_program", "explain", "shadow"),
    "core.event": ("Assumption", "Event", "Location", "Operand", "TensorMeta"),
    "core.finding": ("Edit", "Finding", "Fix", "RankedCause", "Related"),
    "guarding": ("Trip", "TrippedError", "guard"),
    "core.machines": ("UnknownMachineError",),
    "policy": ("MismatchError", "Policy", "PolicyError", "apply", "cast", "expect"),
    "report": ("Report",),
}


def __getattr__(name: str) -> object:
    import importlib

    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_ipython_extension(shell: object) -> None:
    """Load the notebook extension: `%load_ext miscast` adds `%%miscast check`."""
    import importlib

    importlib.import_module(f"{__name__}.integrations.jupyter").load(shell)


def __dir__() -> list[str]:
    return sorted(__all__)
