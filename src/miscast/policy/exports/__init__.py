"""One file per system: `export(policy)` says the policy in that system's terms. Found by the names of the files."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from typing import TYPE_CHECKING

from ..export import Export
from ..fields import PolicyError

if TYPE_CHECKING:
    from ..policy import Policy


def systems() -> tuple[str, ...]:
    """Return the systems that a policy can be exported to."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def export(policy: Policy, system: str) -> Export:
    """Return the policy for one system. Raises PolicyError for one that is not known."""
    known = systems()
    if system not in known:
        near = difflib.get_close_matches(system, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"expected {', '.join(known)}"
        raise PolicyError(f"cannot export to {system[:40]!r}: {hint}")
    found: Export = importlib.import_module(f"{__name__}.{system}").export(policy)
    return found
