"""The virtual machine: while it is on, the process believes in hardware that does not exist."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import torch

from ..core.event import Violation
from ..numbers.ranges import Numerics
from ..running.precision.observed import Observed
from ..running.precision.requested import Requested
from ..running.process.cleanup import Steps
from ..running.process.state import kept
from ..running.torch_abi import IncludedKeys, tracing_state
from . import dynamo
from .dispatch import Dispatcher
from .fallback import Handler, handled, replace
from .files.saved import SavedFiles
from .judging.recorder import Recorder
from .key import KEY
from .memory import Memory
from .provenance.record import device_of
from .shape_cache import Remembering
from .substitutes import substitutes
from .torch_api.patches import patched
from .torch_api.queries import State, forgotten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from torch.utils.data import DataLoader

    from ..core.machines import Machine
    from .collectives.process_group import Gathering
    from .outside import Outside
    from .scenes import Scenes


_LOST = (
    "Cannot re-initialize {0} in forked subprocess. To use {0} with multiprocessing, you must use the 'spawn' start "
    "method"
)
FEW = 64  # ops whose shapes are worked out each anew: that takes as long as to begin to remember them


class VirtualMachine:
    """One run's machine: a dispatcher, a recorder, and the state that `torch.cuda` would hold.

    Entering brings ops to the dispatcher and replaces the attributes of `patches/`; leaving, also by an error, puts
    everything back: attributes, registrations (but for the inert one of `fallback`), and what `kept` keeps.
    """

    def __init__(
        self, machine: Machine, batches: int = 2, box: Outside | None = None
    ) -> None:
        """Create a machine that is off. Data loaders with more than `batches` batches are cut to that number.

        In a `box` what the program writes goes to a layer, so that saved files can stand where it puts them.
        """
        self.machine = machine
        self.batches = batches
        self.box = box
        self.recorder = Recorder(machine)
        self.numerics = Numerics(self.recorder, self.recorder.failures)
        self.observed = Observed(
            machine.device,
            self.recorder.failures,
            Requested(self.numerics.not_held),
            tf32="tf32" in machine.native,
        )
        self.memory = Memory(self.recorder, machine, self.observed, self.numerics)
        lacking = frozenset(
            getattr(torch, name)
            for name in (*machine.emulated, *machine.missing)
            if hasattr(torch, name)  # "tf32" is no dtype, and older torch lacks some
        )
        self.saved = SavedFiles(boxed=box is not None and box.files)
        self.last_words: Callable[[], NoReturn] | None = (
            None  # ends the process, where it is the program's own
        )
        self._resolved: set[object] = {torch.device("cpu"), torch.device("meta")}
        self.devices = State(self.memory.own)
        self.dispatcher = Dispatcher(self, lacking)
        # to be done at the end of the run, on the machine
        self.leaving: list[Callable[[], None]] = []
        # what is put on before the machine replaces anything, and taken off when all is back
        self.around: list[AbstractContextManager[object]] = []
        # more batches of a loader that has none left, where it is to be seen what smaller ones do
        self.smaller_batches: Callable[[DataLoader[Any], int], Iterable[Any]] = (
            lambda *_: ()
        )
        self.every_step = True  # whether loops are run whole that repeat themselves
        self.scenes: Scenes | None = None  # where changes are to be tried
        self.aside = ""  # what is done beside the program's own run
        # what hears, in a fork of Miscast's own, that the program came to its end, and by which error
        self.over: Callable[[BaseException | None], None] = lambda _: None
        self.asked: list[torch.device] = []  # devices of the factory calls in progress
        self.gathering: Gathering | None = (
            None  # where this rank meets the others, if there are any
        )
        # "fork" of a process that had its devices in use, or a loader's "worker"
        self._lost = ""

    def indexed(self, device: torch.device | str | int) -> torch.device:
        """Return a device with its index, as torch would resolve it on this machine."""
        if device in self._resolved:
            return device_of(device)  # type: ignore[arg-type] # only devices are in it
        if isinstance(device, int) and self.machine.device != "cpu":
            device = torch.device(self.machine.device, device)
        device = torch.device(device)
        if device.type in ("cpu", "meta"):
            return device_of(device.type)
        kind, count = self.machine.device, self.machine.count
        if device.type != kind:
            return self._absent(
                device,
                AssertionError(
                    f"Torch not compiled with {device.type.upper()} enabled"
                ),
            )
        if self._lost:
            lost = self._absent(device, RuntimeError(_LOST.format(kind.upper())))
            self._resolved.add(lost)  # what `cuda()` asks for next
            return lost
        index = self.devices.current if str(device) == kind else device.index
        if index >= count:
            return self._absent(
                device, RuntimeError("CUDA error: invalid device ordinal")
            )
        found = device_of(f"{kind}:{index}")
        self._resolved.add(found)
        self.devices.initialize()
        return found

    def forked(self, *, anew: bool) -> None:
        """Mark this process as a fork, for one started `anew` or not; devices in use do not come along."""
        self._resolved = {torch.device("cpu"), torch.device("meta")}
        self._lost = "fork" if not anew and self.devices.initialized else ""

    @contextmanager
    def in_worker(self) -> Iterator[None]:
        """Run the body as in a process that was forked when devices were in use."""
        before = self._resolved, self._lost
        self.forked(anew=False)
        self._lost = "worker"
        try:
            yield
        finally:
            self._resolved, self._lost = before

    def _absent(self, device: torch.device, error: Exception) -> torch.device:
        """Record a request for a missing device, and return an existing one for the program to continue with."""
        instead = device_of(
            "cpu"
            if self.machine.device == "cpu"
            else f"{self.machine.device}:{self.devices.current}"
        )
        raises = type(error).__name__
        violation = Violation(
            kind="absent",
            odd=(),
            expected=str(instead),
            error=str(error),
            raises=raises,
            argument=self._lost,
        )
        self.recorder.call(str(device), violation, ())
        return instead

    @contextmanager
    def on(self) -> Iterator[VirtualMachine]:
        """Run the body on this machine."""
        failures = self.recorder.failures
        with Steps(failures) as steps:
            for one in self.around:
                steps.enter(one, "it removed modes that were active before it")
            steps.enter(kept(failures), "it restored the process's settings")
            steps.enter(forgotten(), "it cleared torch's cached device information")
            steps.callback(
                self.saved.remove_placeholders,
                "it removed the placeholders of saved files",
            )
            # before anything is patched
            steps.enter(
                dynamo.at_hand(self.recorder.note),
                "it removed the placeholder of torch._dynamo",
            )
            shapes = Remembering()
            steps.callback(shapes.end, "it restored torch's meta kernels")
            steps.enter(handled(self._first(shapes)), "it released torch's ops")
            steps.callback(self.dispatcher.wrapped.end, "it restored tensor classes")
            self.dispatcher.wrapped.look()
            stands = (
                None
                if self.box is None
                else steps.enter(self.box.entered(self.recorder), "it left the sandbox")
            )
            steps.enter(patched(self, stands), "it removed its patches")
            steps.enter(substitutes(self), "it removed substitutes of packages")
            steps.enter(self.memory.watching(), "it removed its hooks from optimizers")
            steps.enter(self.observed.watching(), "it removed its hooks from modules")
            training = self.numerics.training
            steps.enter(
                training.watching(), "it removed its hooks from optimizer steps"
            )
            steps.callback(self._leave, "the machine was left")
            steps.callback(self.numerics.widened.end, "it reported deferred findings")
            steps.callback(
                self.observed.requested.end, "it reported requested precisions"
            )
            steps.callback(
                self.numerics.fused.end, "it removed its hooks from compiled modules"
            )
            if self.box is not None:
                steps.enter(self.box.sealed(), "it unlocked the sandbox")
            steps.enter(self.watching(), "it released this thread's ops")
            yield self

    def _first(self, shapes: Remembering) -> Handler:
        """Return what handles the first ops.

        If more follow, it pays to remember shapes, and the dispatcher handles them.

        Under torch.jit.trace that is needed at once: its kernels cannot run on the tensors that sizes are there.
        """
        left = FEW

        def handle(op: Any, *args: Any, **kwargs: Any) -> Any:
            nonlocal left
            left -= 1
            if not left or (left > 0 and tracing_state() is not None):
                left = 0
                replace(handle, self.dispatcher)
                shapes.begin()
            return self.dispatcher(op, *args, **kwargs)

        return handle

    def _leave(self) -> None:
        while self.leaving:
            with self.recorder.failures.during("the machine was left"):
                self.leaving.pop()()

    @staticmethod
    def watching() -> AbstractContextManager[object]:
        """Bring the current thread's ops to the dispatcher, within a block."""
        return IncludedKeys(KEY)
