"""The Python box: where the system forbids namespaces, and in a living process, Python's own calls lead to a layer."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from ..core.event import Effect, EffectKind, Location
from ..running.process.everywhere import Names
from .network import Fetch, Mode, Network, closed
from .reader import Reader
from .redirect import Layer, guarded, real, redirected

if TYPE_CHECKING:
    from ..running.process.module_search import Hit
    from ..vm.judging.recorder import Recorder

_WRITABLE = ("/dev", "/proc")
_LOCKS = "/dev/shm"  # noqa: S108 - where the C library keeps semaphores


@contextmanager
def python_box(*, files: bool = True, network: Mode = "hub") -> Iterator[PythonBox]:
    """Create a sandbox for one run in this process; its contents are removed at the end of the block."""
    with tempfile.TemporaryDirectory(
        prefix="miscast-", ignore_cleanup_errors=True
    ) as folder:
        yield PythonBox(folder, files=files, network=network)


class PythonBox:
    """Files change below `folder` only; processes are not started, and nothing is sent."""

    def __init__(
        self,
        folder: str,
        *,
        files: bool = True,
        network: Mode = "hub",
        fetch: Fetch | None = None,
        confined: bool = False,
    ) -> None:
        """Prepare one run. `folder` is removed by the caller. `fetch` asks a process outside to read model hubs.

        `confined`: this process ends with the check, so Landlock, which cannot be taken off, can stand behind.
        """
        self.files = files
        self._folder, self._network, self._fetch = folder, network, fetch
        self._layer: Layer | None = None
        self._confined = confined
        if confined and files:
            from .landlock import confine

            locks = []
            if os.path.isdir(_LOCKS) and not os.getcwd().startswith(_LOCKS):
                locks = [_LOCKS]
            confine(
                [folder], [path for path in _WRITABLE if os.path.isdir(path)], locks
            )

    @contextmanager
    def entered(self, recorder: Recorder) -> Iterator[Names]:
        """Patch every Python call that reaches files, processes or the network within the block."""

        def tell(kind: EffectKind, what: str, action: str) -> Location | None:
            location = recorder.here()
            if recorder.heard is not None:
                recorder.heard(
                    "effect",
                    Effect(kind=kind, what=what, action=action, location=location),
                )
            return location

        with ExitStack() as stack:
            names: dict[int, list[Hit]] = {}
            fetch = self._fetch
            if self.files:
                layer = self._layer = Layer(self._folder, tell)
                if "RANK" in os.environ:  # the other ranks write to the folder, too
                    layer.union.shared, layer.still = True, False
                names.update(
                    stack.enter_context(redirected(layer, ends=self._confined))
                )
                fetch = fetch or stack.enter_context(_beside(layer))
            network = Network(tell=recorder.effect, mode=self._network, fetch=fetch)
            names.update(stack.enter_context(closed(network, recorder.failures)))
            yield names

    def sealed(self) -> AbstractContextManager[None]:
        """Return what goes neither by the calls nor the libraries that lead to the layer is refused."""
        return nullcontext() if self._layer is None else guarded(self._layer)

    def effects(self) -> tuple[Effect, ...]:
        """Return what the layer holds, and what was not started."""
        return () if self._layer is None else self._layer.effects()


class _Past(subprocess.Popen[bytes]):
    """A process that the box itself starts."""

    _execute_child = real.execute_child


@contextmanager
def _beside(layer: Layer) -> Iterator[Fetch]:
    """Run a reader outside the sandbox for the block, so that hub downloads do not end up in the layer."""
    lock = threading.Lock()

    def start(*args: Any, **options: Any) -> subprocess.Popen[bytes]:
        with layer.past_the_guard():
            return _Past(*args, **options)

    reader = Reader(start)

    def fetch(request: dict[str, Any]) -> dict[str, Any]:
        with lock:
            reader.ask(request)
            return reader.answer()

    try:
        yield fetch
    finally:
        reader.end()
