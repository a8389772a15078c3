"""Records of collectives: what each rank contributes, and the meetings at which ranks do not match.

Plain data, as in `event`: dtypes and devices by canonical name, no torch.
"""

from __future__ import annotations

from collections.abc import Iterable

from .event import Event, Location, TensorMeta, Trace
from .frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One tensor of many that a rank brings at once: a parameter that DDP or FSDP takes over."""

    name: str
    tensor: TensorMeta


@dataclass(frozen=True, slots=True, kw_only=True)
class Collective:
    """One rank's part in a call of torch.distributed.

    `group` is torch's name of the process group of these `ranks` (global ranks, in the order of the group); ranks that
    give it different names do not meet.
    `tensor` is what is sent, or where it is received; None for a barrier or objects. `sends` and `takes` hold, per
    member of the group, how many elements go there and come from there. `arguments` must agree on all ranks
    (`("src", "0")`). Of a point-to-point call, `ranks` are the sender and the receiver (-1: whoever sends).
    """

    op: str
    rank: int
    ranks: tuple[int, ...]
    group: str
    location: Location
    backend: str = ""
    tensor: TensorMeta | None = None
    sends: tuple[int, ...] = ()
    takes: tuple[int, ...] = ()
    arguments: tuple[tuple[str, str], ...] = ()
    parts: tuple[Part, ...] = ()
    library: Location | None = None
    dtype_origin: Event | None = None
    device_origin: Event | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectiveRound:
    """One round of a process group: what each member brought, in the order of `ranks`.

    Where a member brought nothing (`None`), the rank had ended, or waited in `instead`. `before` is the meeting from
    which on the ranks came from different lines, if the group's last one was such: often what shifted all that follows.
    """

    ranks: tuple[int, ...]
    brought: tuple[Collective | None, ...]
    instead: tuple[Collective | None, ...] = ()
    before: tuple[Collective | None, ...] = ()

    @property
    def present(self) -> tuple[Collective, ...]:
        """The collectives that were brought."""
        return tuple(one for one in self.brought if one is not None)

    @property
    def absent(self) -> tuple[int, ...]:
        """The ranks that never came."""
        return tuple(
            rank
            for rank, one in zip(self.ranks, self.brought, strict=True)
            if one is None
        )

    def is_whole(self) -> bool:
        """Check whether all came, to the same call with the same arguments: the group can go on."""
        return not self.absent and not calls_differ(self)

    def fits(self) -> bool:
        """Check whether this would work on real devices."""
        checks = (
            dtypes_differ,
            counts_differ,
            parts_differ,
            devices_differ,
            device_is_shared,
        )
        return self.is_whole() and not any(check(self) for check in checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """One meeting in short, `count` times on end: of each of `ranks` its line and the op that it called there.

    Who never came has no line. `fits`: it would work on real devices.
    """

    op: str
    ranks: tuple[int, ...]
    at: tuple[Location | None, ...]
    said: tuple[str, ...]
    dtype: str = ""
    fits: bool = True
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiRankTrace:
    """One program as all its ranks ran it: a trace for each rank, and the meetings at which the ranks do not fit.

    `matched` counts the meetings at which they do; `met` has the first of all meetings in short, in their order.
    """

    traces: tuple[Trace, ...]
    meetings: tuple[CollectiveRound, ...] = ()
    matched: int = 0
    met: tuple[Met, ...] = ()

    @property
    def modules(self) -> tuple[str, ...]:
        """The libraries that the program imported."""
        return max((trace.modules for trace in self.traces), key=len, default=())


def calls_differ(meeting: CollectiveRound) -> bool:
    """Check whether some ranks call another op, or with another root, group or reduction."""
    return len({_call(one) for one in meeting.present}) > 1


def _call(one: Collective) -> tuple[object, ...]:
    return ("p2p", one.ranks[1]) if one.op in P2P else (one.op, one.arguments)


P2P = frozenset({"send", "recv", "isend", "irecv"})


def dtypes_differ(meeting: CollectiveRound) -> bool:
    """Check whether tensors of different dtypes are used in one collective call."""
    return (
        len(
            {
                one.tensor.dtype
                for one in meeting.present
                if one.tensor is not None and not one.parts
            }
        )
        > 1
    )


def counts_differ(meeting: CollectiveRound) -> tuple[Collective, Collective] | None:
    """Return the sender and the receiver that do not agree on how many elements go from one to the other."""
    present = meeting.present
    places = {one.rank: i for i, one in enumerate(meeting.brought) if one is not None}
    for sender in present:
        for taker in present:
            i, j = places[sender.rank], places[taker.rank]
            if sender.sends and taker.takes and sender.sends[j] != taker.takes[i]:
                return sender, taker
    return None


def parts_differ(meeting: CollectiveRound) -> tuple[Collective, Collective] | None:
    """Return the first rank, and the first that brings other parameters than it."""
    first, *others = meeting.present
    wanted = [(part.tensor.dtype, part.tensor.shape) for part in first.parts]
    for other in others:
        if [(part.tensor.dtype, part.tensor.shape) for part in other.parts] != wanted:
            return first, other
    return None


def devices_differ(meeting: CollectiveRound) -> bool:
    """Check whether tensors on different kinds of devices, each with its own backend, never meet."""
    kinds = {
        one.tensor.device.partition(":")[0]
        for one in meeting.present
        if one.tensor is not None
    }
    return len(kinds) > 1 and any("," in one.backend for one in meeting.present)


def device_is_shared(meeting: CollectiveRound) -> tuple[Collective, Collective] | None:
    """Return two ranks that bring tensors of one GPU to NCCL."""
    by_device: dict[str, Collective] = {}
    for one in meeting.present:
        if (
            one.tensor is None
            or "nccl" not in one.backend
            or not one.tensor.device.startswith("cuda")
        ):
            continue
        first = by_device.setdefault(one.tensor.device, one)
        if first.rank != one.rank:
            return first, one
    return None


def ranks(numbers: Iterable[int]) -> str:
    """Return ranks in words: "rank 2", "ranks 0-2, 5"; a receive from any source is "any rank"."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if number < 0:
            return "any rank"
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    text = ", ".join(
        f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run))
        for run in runs
    )
    return f"rank{'s' if sum(map(len, runs)) > 1 else ''} {text}"
