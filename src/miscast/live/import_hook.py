"""Do something as soon as the program has imported a module, not before: torch reads its environment when it comes."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Literal

from ..running.process.module_arrivals import arriving

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from ..report import Report


def _explained(error: BaseException) -> Report:
    from .exception import explained

    return explained(error)


def record(also: Callable[[], None] | None = None) -> None:
    """Record creations and casts from the import of torch on; then also call `also`."""

    def torch() -> None:
        from . import recorder, worker_errors

        recorder.install()
        worker_errors.install(_explained)
        if also is not None:
            also()

    def safetensors() -> None:
        from . import recorder

        recorder.install_safetensors()

    on_import("torch", torch)
    on_import("safetensors.torch", safetensors)
    for name in ("transformers.modeling_utils", "diffusers.models.modeling_utils"):
        on_import(name, partial(_pretrained, name))


def guarding(
    flight: str, on_trip: Literal["raise", "skip", "report"]
) -> Callable[[], None]:
    """Return what guards the program's trainings, once it has torch; of several ranks each records for itself."""

    def install() -> None:
        from ..guarding import unasked
        from . import ranks

        unasked.install(ranks.file(flight), on_trip)

    return install


def _pretrained(module: str) -> None:
    from . import recorder

    recorder.install_pretrained(module)


def on_import(name: str, then: Callable[[], None]) -> None:
    """Call `then` once, right after module `name` was imported; now, if it is there already."""
    if name in sys.modules:
        then()
        return
    watch = ExitStack()

    def arrived(_: ModuleType) -> None:
        watch.close()
        try:
            then()
        except Exception as failure:  # noqa: BLE001 - a program runs whether or not it is watched
            print(f"miscast: cannot instrument {name}: {failure}", file=sys.stderr)

    watch.enter_context(arriving((name,), arrived))
