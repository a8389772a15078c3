"""Schema 1: what stands in the JSON report, key by key in its order.

A frozen copy of the types: these may change, and the format stays. Keys may be added within schema 1, with a default
for the reports from before; a key that is here keeps its meaning. What is `UNSET` is left out.

An operand's `origin` is where the story of its dtype (of its device, if the finding is "about": "device") starts: the
birth, or the first silent promotion; `history` has all events, newest first.
"""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType, field

from ..core.event import ConditionKind, EventKind, Phase
from ..core.finding import Severity, Subject

SCHEMA = 1


class Location(Struct, kw_only=True):
    """A line of the program or of a library; `column`, from 1, where it is known."""

    file: str
    line: int
    column: int | UnsetType = UNSET
    function: str
    module: str | None = None
    code: str

    def __post_init__(self) -> None:
        self.column = self.column or UNSET


class Event(Struct, kw_only=True):
    """The event that gave a tensor its dtype or device; `moved` is where it was moved to another device later."""

    file: str
    line: int
    function: str
    code: str
    how: str = ""
    kind: EventKind
    op: str
    dtype: str
    device: str
    library: Location | None = None
    moved: Location | UnsetType | None = UNSET

    def __post_init__(self) -> None:
        self.moved = self.moved or UNSET


class Operand(Struct, kw_only=True):
    """A tensor of a call, with the history of its dtype or device."""

    name: str
    dtype: str
    device: str
    shape: tuple[int, ...]
    origin: Event | None = None
    history: tuple[Event, ...] = ()


class Related(Struct, kw_only=True):
    """Another place that belongs to a finding."""

    label: str
    location: Location


class Edit(Struct, kw_only=True):
    """Lines that are replaced, up to and including the last one."""

    file: str
    start_line: int
    end_line: int
    replacement: str


class Fix(Struct, kw_only=True):
    """A change that may fix a finding; `verified` if a second check tested it."""

    title: str
    safe: bool
    verified: bool
    edits: tuple[Edit, ...] = ()


class Finding(Struct, kw_only=True):
    """One mistake; `help` has the titles of its `fixes`, `consequence_of` is the index of an earlier finding."""

    rule: str
    severity: Severity
    message: str
    op: str
    phase: Phase
    location: Location
    about: Subject = "dtype"
    operands: tuple[Operand, ...] = ()
    related: tuple[Related, ...] = ()
    consequence_of: int | None = None
    help: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    error: str = ""
    raises: str = "RuntimeError"
    count: int = 1
    blamed: str = ""
    wanted: str = ""
    callers: tuple[Location, ...] = ()
    ranks: tuple[int, ...] | UnsetType = UNSET
    arguments: tuple[str, ...] | UnsetType = UNSET
    cells: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        self.ranks = self.ranks or UNSET
        self.arguments = self.arguments or UNSET
        self.cells = self.cells or UNSET


class Assumption(Struct, kw_only=True):
    """A placeholder value that the program read from a tensor without data."""

    what: str
    value: str
    location: Location | None = None
    count: int


class Memory(Struct, kw_only=True):
    """The peak memory of one device, in bytes, and its parts."""

    device: str
    capacity: int
    peak: int
    parameters: int
    buffers: int
    gradients: int
    optimizer: int
    activations: int
    temporaries: int
    location: Location | None = None
    rank: int | UnsetType | None = UNSET

    def __post_init__(self) -> None:
        self.rank = UNSET if self.rank is None else self.rank


class Precision(Struct, kw_only=True):
    """A component in one respect: `aspect` "optimizer_states", `dtype` "bfloat16, norms float32"."""

    component: str
    aspect: str
    dtype: str
    decided_by: Location | None = None
    counts: dict[str, int] = field(default_factory=dict)
    ranks: tuple[int, ...] | UnsetType = UNSET

    def __post_init__(self) -> None:
        self.ranks = self.ranks or UNSET


class Block(Struct, kw_only=True):
    """A branch that the run did not execute, because of the `condition` at `line`; `forced` if it was explored."""

    file: str
    first: int
    last: int
    line: int
    condition: str
    kind: ConditionKind
    does: tuple[str, ...] = ()
    torch: bool = False
    values: dict[str, tuple[str, ...]] = field(default_factory=dict)
    forced: bool = False
    ended: str | None = None
    why: str = ""


class Effect(Struct, kw_only=True):
    """An effect not sent, started or signalled."""

    what: str
    action: str = ""
    location: Location | None = None
    count: int = 1


class Effects(Struct, kw_only=True):
    """Paths are strings; effects with an action and a line are objects."""

    written: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    network: tuple[Effect, ...] = ()
    started: tuple[Effect, ...] = ()
    signal: tuple[Effect, ...] = ()


class Version(Struct, kw_only=True):
    """The version that begins every report schema."""

    schema: int


class Report(Version, kw_only=True):
    """One check."""

    miscast: str = ""
    torch: str
    machine: str
    machine_reason: str | UnsetType = UNSET
    findings: tuple[Finding, ...] = ()
    contracts: str = ""
    unchecked: dict[str, int] = field(default_factory=dict)
    assumed: tuple[Assumption, ...] = ()
    notes: tuple[str, ...] = ()
    ended: str | None = None
    failed: str | None = None
    ops: int = 0
    memory: tuple[Memory, ...] = ()
    precision: tuple[Precision, ...] | UnsetType = UNSET
    reach: tuple[Block, ...] | UnsetType = UNSET
    effects: Effects = field(default_factory=Effects)
    ranks: int | UnsetType = UNSET
    matched: int | UnsetType = UNSET

    def __post_init__(self) -> None:
        self.precision = self.precision or UNSET
        self.reach = self.reach or UNSET
        self.machine_reason = self.machine_reason or UNSET
        if not self.ranks:
            self.ranks = self.matched = UNSET
