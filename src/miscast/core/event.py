"""Records of a watched program: tensors, places, origins of dtypes and devices, and broken contracts.

Everything here is plain data: dtypes and devices by canonical name ("float16", "cuda:0"), no torch. A trace can be
compared across ranks, machines and torch versions, and read where torch is not installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from .frozen import dataclass, field

EventKind = Literal["born", "cast", "moved", "loaded", "promoted", "autocast", "given"]
Phase = Literal["program", "forward", "backward", "optimizer"]
ViolationKind = Literal[
    "dtype", "device", "kind", "unsupported", "forbidden", "absent", "number", "memory", "lossy",
]  # fmt: skip
EffectKind = Literal["written", "deleted", "network", "started", "signal"]
ConditionKind = Literal[
    "counter", "value", "flag", "precision", "guard", "error", "empty"
]
"""Kinds of conditions of a branch.

They depend on the run's progress, a number, a setting, a precision or device setting, on what exists, on whether
something fails, or on whether there are items to iterate over.
"""
Role = Literal[
    "activation", "weight", "bias", "mask", "target", "gradient", "optimizer state", "index", "",
]  # fmt: skip
"""A tensor's role in a program; "" if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A line of source code.

    Attributes:
        file: The path of the file.
        line: The line, from 1.
        function: The function around it.
        module: The path of the `nn.Module` being executed there, such as "unet.down_blocks.1.norm".
        code: The text of the line.
        column: The column, from 1. It is known for settings, and 0 elsewhere.
    """

    file: str
    line: int
    function: str = ""
    module: str | None = None
    code: str = ""
    column: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorMeta:
    """The dtype, device and shape of a tensor, without its data.

    Attributes:
        dtype: The dtype, such as "float16". "" if an error message does not give it.
        device: The device, such as "cuda:0". "" if an error message does not give it.
        shape: The sizes, -1 for a ragged dimension of a nested tensor. None if an error message does not give them.
    """

    dtype: str
    device: str
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The operation that gave a tensor its dtype or its device.

    Attributes:
        kind: How: "born" (created), "cast", "moved", "loaded", "promoted", "autocast" or "given".
        op: The operation as the user calls it: "torch.ones", "Tensor.half", "cat".
        dtype: The dtype that it gave.
        device: The device that it gave.
        location: The innermost line of the user's code.
        library: The innermost line outside torch, if it is in an installed package.
        source: The event before this one, of the operand that forced a promotion or of the tensor whose dtype was
            taken.
        carried: The user's line that later moved the tensor to another device and kept this dtype.
    """

    kind: EventKind
    op: str
    dtype: str
    device: str
    location: Location | None
    library: Location | None = None
    source: Event | None = None
    carried: Location | None = None

    def chain(self) -> tuple[Event, ...]:
        """Return this event and those before it, the newest first."""
        behind = () if self.source is None else self.source.chain()
        return (self, *behind)

    @property
    def is_own_cause(self) -> bool:
        """True for a move to a device, and for what autocast cast for the call that failed (no op's result)."""
        return self.kind == "moved" or (self.kind == "autocast" and not self.op)

    def start(self) -> Event:
        """Return the root cause of this dtype or device: the first silent promotion, else the oldest event.

        A move to a device is its own root cause, and so is autocast's cast of an operand.
        """
        story = self.chain()
        moves = [i for i, event in enumerate(story) if event.is_own_cause]
        story = story[: moves[0] + 1] if moves else story
        return next(
            (event for event in reversed(story) if event.kind == "promoted"), story[-1]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """A tensor argument of an op.

    Attributes:
        name: ATen's name of the argument: "weight", "tensors[1]".
        tensor: Its dtype, device and shape.
        dtype_origin: The event that set its dtype.
        device_origin: The event that set its device.
        role: Its role, such as "weight" or "mask", in explained errors.
        path: The path of a parameter, such as "unet.conv_in.weight", else the program's name of the tensor. In
            explained errors.
    """

    name: str
    tensor: TensorMeta
    dtype_origin: Event | None = None
    device_origin: Event | None = None
    role: Role = ""
    path: str = ""

    @property
    def dtype(self) -> str:
        """The tensor's dtype."""
        return self.tensor.dtype

    @property
    def device(self) -> str:
        """The tensor's device."""
        return self.tensor.device

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The tensor's shape."""
        return self.tensor.shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """The demand of a contract that a call broke.

    `odd` names the operands that do not fit, `like` the operand that they should be like (None where the contract
    fixes the value itself), `expected` the dtype or device that was demanded. `error` is the text that torch raises,
    `raises` the type of exception that carries it. Of kind "number" it is the Python number `value`, given as
    `argument`, that the dtype `expected` cannot hold; torch raises `error`, or, if that is empty, makes it infinite.
    Of kind "lossy" torch raises nothing and numbers are lost: `argument` names the rule, `value` says in figures what,
    `form` which of the rule's losses it is.
    Of kind "memory", `value` is the dtype of most weights of the program's modules.
    """

    kind: ViolationKind
    odd: tuple[str, ...]
    expected: str
    like: str | None = None
    error: str = ""
    raises: str = "RuntimeError"
    argument: str = ""
    value: str = ""
    form: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call that broke a contract, as seen by whatever watched the program.

    `hidden` marks a call that only autocast keeps from failing. `count` tells how often the same call at the same
    line was seen. `callers` are the user's lines that led to it, from the one that called `location`'s function on;
    `held` are, by operand, the lines that set the names by which the program passed it; `off` are the regions of
    autocast around it that are switched off, where none is on. `root` is the program's name for the outermost module
    at work ("models.unet"), `apart` the first one on the way to the call that this module's `.to()` does not reach.
    `forced` is the condition that was made to go the other way, so that the program came there. `lacking` are dtypes
    that the machine has not, or only emulates.
    """

    op: str
    phase: Phase
    location: Location
    operands: tuple[Operand, ...]
    violation: Violation
    library: Location | None = None
    hidden: bool = False
    count: int = 1
    callers: tuple[Location, ...] = ()
    held: tuple[tuple[str, Location], ...] = ()
    off: tuple[Location, ...] = ()
    root: str = ""
    apart: str = ""
    forced: Location | None = None
    lacking: tuple[str, ...] = ()

    def writes_to(self, operand: Operand) -> bool:
        """Check whether the op works in place, on this operand."""
        if self.op in WRITING_COLLECTIVES:
            return operand.name == "tensor"
        return operand.name == "out" or (
            operand.name == "self" and self.op.endswith("_")
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """A placeholder for a value that the program read from a tensor without data.

    Attributes:
        what: What the program called: "Tensor.item".
        value: The placeholder that it got.
        location: The line that read it.
        count: How many times it was read.
    """

    what: str
    value: str
    location: Location | None
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Something that the program would have done to the world outside, and that did not happen.

    `what` is the path that was written or deleted, the address that was contacted ("api.wandb.ai:443"), the command
    that was not started, or the signal with its receiver. `action` says more where there is more ("POST", "upload").
    """

    kind: EffectKind
    what: str
    action: str = ""
    location: Location | None = None
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The most that tensors held on a device at a time, in bytes, and what for.

    The parts add up to `peak`. `activations` are all results of ops outside of backward and of optimizers' steps that
    are none of the rest, inputs too; `temporaries` the same within these. `capacity` is what the device has (0: not
    stated), `location` the user's line at work when the peak was reached, `rank` whose device it is where several ran.
    `course` is what was held over the run, in few samples: after so many ops the bytes of each of `MEMORY_KINDS`.
    """

    device: str
    capacity: int
    peak: int
    parameters: int = 0
    buffers: int = 0
    gradients: int = 0
    optimizer: int = 0
    activations: int = 0
    temporaries: int = 0
    location: Location | None = None
    rank: int | None = None
    course: tuple[tuple[int, ...], ...] = field(default=(), compare=False, repr=False)


MEMORY_KINDS = (
    "parameters",
    "buffers",
    "gradients",
    "optimizer",
    "activations",
    "temporaries",
)
"""Uses of memory, by precedence: a tensor with several counts as the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """Some of the numbers of a tensor, evenly spread over its elements; `shape` is that of all."""

    dtype: str
    shape: tuple[int, ...]
    values: tuple[float, ...]


Scopes = Mapping[tuple[str, str], Mapping[str, str]]
"""Variables of frames: (file, function) → name → description, as in `provenance.frame_variables`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Variables where a call broke its contract: file, function and names of the user's frames.

    The innermost frame is the first; what a name stands for is told in the words of `provenance.frame_variables`.
    `ops` had run; None where the run was made to go there after its end. `numbers` are those of its operands, where
    they are known.
    """

    op: str
    file: str
    line: int
    ops: int | None
    frames: tuple[tuple[str, str, Mapping[str, str]], ...] = ()
    numbers: Mapping[str, Numbers] = field(default_factory=dict)

    @property
    def scopes(self) -> Scopes:
        """The names of each function; of several functions of one name in a file, those that agree."""
        found: dict[tuple[str, str], Mapping[str, str]] = {}
        for file, function, names in self.frames:
            known = found.get((file, function), {})
            both = {**names, **known}
            found[file, function] = {
                name: word
                for name, word in both.items()
                if known.get(name, word) == names.get(name, word)
            }
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """The effective precision of one component of a run in one respect, as it was seen.

    `aspect` is a respect of the table that `lint` predicts ("optimizer_states"), `dtype` its value ("bfloat16, norms
    float32", "off"), `decided_by` the user's line that made it so. `counts` says of how many parameters, products or
    tensors each dtype is, where they are counted. `ranks` are those that say so, empty where all do.
    """

    component: str
    aspect: str
    dtype: str
    decided_by: Location | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    ranks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A dtype and device shared by tensors."""

    dtype: str
    device: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A module as it ran, or several that ran alike: `path` "layers.0-39" is `alike` 40.

    Where all `modules` below it ran like itself, they are not told one by one. `compute` is what matrix products ran
    in, where there were none the widest that other ops did. `ranks` are those it ran on so, where ranks differ.
    """

    path: str
    kind: str
    depth: int = 0
    alike: int = 1
    modules: int = 0
    calls: int = 1
    parameters: tuple[Placed, ...] = ()
    inputs: tuple[Placed, ...] = ()
    compute: tuple[Placed, ...] = ()
    outputs: tuple[Placed, ...] = ()
    ranks: tuple[int, ...] = ()


SAMPLES = 64
"""So many samples of a data set are loaded for their dtypes, if nobody says how many."""

MODULE_TO = "Module.to"
"""The op of an event where a whole module was converted."""

WRITING_COLLECTIVES = frozenset({
    "all_reduce", "reduce", "broadcast", "recv", "irecv", "scatter", "all_to_all_single",
    "all_gather_into_tensor", "reduce_scatter", "reduce_scatter_tensor",
})  # fmt: skip
"""Functions of torch.distributed that write to their first argument."""

INTERRUPTED = "interrupted"
"""Reason for blocks not explored, or stopped, because the user did not wait. The run had ended by then."""

TIME_OVER, NO_TIME = "time limit reached", "no time left"
BUDGET_SPENT, NO_BUDGET = "op budget used up", "no op budget left"
WAITED = "it was blocked, waiting for something"
"""Reasons for blocks that were not explored, or not to their ends."""


EACH_KIND = "batch of each kind of sample in the dataset"
"""The condition of the block that a loader's loop is, once more, if its samples differ in dtype, device or form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Lines of the program's own that the run did not come to: a condition, at `line`, always went the other way.

    `does` names what is called there, `torch` says whether torch is named. `values` are those that the names of the
    condition had. `forced`: the run was made to go there, too, in a fork; `ended` is one line if that did not come
    to the block's end. `why` says why it was not.
    """

    file: str
    first: int
    last: int
    line: int
    condition: str
    kind: ConditionKind
    does: tuple[str, ...] = ()
    torch: bool = False
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    forced: bool = False
    ended: str | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One watched run.

    `calls` in the order in which they were first met; `choices` are the events that chose a dtype which the machine
    lacks or emulates; `contracts` says what the verdicts rest on, "measured on cpu, torch 2.13.0" or "declared" (read
    off torch's sources); `unchecked` counts calls of ops that no contract covers; `undecided` are the
    lines ("train.py:8") that read a placeholder's truth which may as well be the opposite; `notes` say in one line each
    what else the run cannot vouch for (torch.compile ran eagerly, a data loader was cut); `ended` is one line if it
    did not run to its end, else None; `failed` is one line if Miscast itself did not do its work; `traceback` is
    that of the exception that ended the program, and those of Miscast's own; `memory` has an entry for each device that
    held anything; `effects` are what the program did to the outside, or would have. `precision` is the table of
    effective precision, `stages` are the modules as they ran, `reach` what of the program's own it did not come to by
    itself. Where fixes will be tried, `scenes`
    are the places of calls, and `modules` the libraries that the program imported.
    """

    machine: str
    torch: str
    calls: tuple[Call, ...] = ()
    choices: tuple[Event, ...] = ()
    contracts: str = ""
    unchecked: Mapping[str, int] = field(default_factory=dict)
    assumed: tuple[Assumption, ...] = ()
    undecided: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    ended: str | None = None
    failed: str | None = None
    traceback: str = ""
    ops: int = 0
    memory: tuple[Memory, ...] = ()
    effects: tuple[Effect, ...] = ()
    precision: tuple[Precision, ...] = ()
    stages: tuple[Stage, ...] = ()
    reach: tuple[Block, ...] = ()
    scenes: tuple[Scene, ...] = ()
    modules: tuple[str, ...] = ()
