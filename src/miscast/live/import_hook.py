"""Do something as soon as the program has imported a module, not before: torch reads its environment when it comes."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
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
    else:
        sys.meta_path.insert(0, _Awaiting(name, then))


class _Awaiting:
    """Lets the other finders find the module, and leaves with its arrival."""

    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self.name = name
        self.then = then

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self.name:
            return None
        # those before have been asked; of two that await one module, each would ask the other for ever
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            find = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find(name, path, target) if find else None
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loading(spec.loader, self)  # type: ignore[assignment]  # the ABC costs 10 ms
                return spec
        return None

    def arrived(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)
            try:
                self.then()
            except Exception as failure:  # noqa: BLE001 - a program runs whether or not it is watched
                print(
                    f"miscast: cannot instrument {self.name}: {failure}",
                    file=sys.stderr,
                )


class _Loading:
    """The module's own loader, and word of it when it is done. The module never sees another loader than its own."""

    def __init__(self, own: Any, awaiting: _Awaiting) -> None:
        self.own = own
        self.awaiting = awaiting

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        spec.loader = self.own
        made: ModuleType | None = self.own.create_module(spec)
        spec.loader = self  # type: ignore[assignment]
        return made

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self.own
        module.__loader__ = self.own
        self.own.exec_module(module)
        self.awaiting.arrived()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)
