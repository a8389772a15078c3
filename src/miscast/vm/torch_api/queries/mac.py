"""A Mac, as programs ask for one beside `mps`: `platform.mac_ver()`, and to the user's own lines `platform.system()`.

`sys.platform` stays what it is, and so does what libraries are told by all but `mac_ver`: they choose files and calls
of the system by it (soundfile its library by `machine()`), which are those of the real one.
"""

from __future__ import annotations

import platform
import sys
from typing import TYPE_CHECKING, Any

from ...provenance.origin import USER, kind_of
from .answers import always, answers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ....core.machines import Machine
    from ....running.process.patching import Patch
    from .state import State

MACOS = (15, 0)
_VERSION = ".".join(map(str, MACOS))
_SAID = {
    "system": "Darwin", "machine": "arm64", "processor": "arm", "platform": f"macOS-{_VERSION}-arm64-arm-64bit",
}  # fmt: skip


def patches(_machine: Machine, _state: State) -> Iterator[Patch]:
    """Yield what the module `platform` answers."""
    yield from answers(platform, {"mac_ver": always((_VERSION, ("", "", ""), "arm64"))})
    yield from answers(
        platform,
        {
            name: _to_users(getattr(platform, name), said)
            for name, said in _SAID.items()
        },
    )


def _to_users(original: Callable[..., str], said: str) -> Callable[..., str]:
    def answer(*args: Any, **kwargs: Any) -> str:
        if kind_of(sys._getframe(1).f_code) == USER:
            return said
        return original(*args, **kwargs)

    return answer
