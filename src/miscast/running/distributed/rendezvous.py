"""Match the collective calls of all ranks: who waits for whom, what each receives, and deadlocks.

Pure bookkeeping: messages in, messages out. Processes and sockets are `launch`'s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ...core.meeting import Collective, CollectiveRound
from .met_in_short import MetInShort

Out = tuple[int, dict[str, Any], bytes]
"""To which rank, and the message."""

_Key = tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """A rank's part: the call, its number on that rank, and the bytes that it sends (None: unknown)."""

    number: int
    one: Collective
    data: bytes | None
    assumed: bool = False


@dataclass(slots=True)
class Round:
    """One meeting in the making; `order` tells which began first."""

    ranks: tuple[int, ...]
    order: int
    brought: dict[int, Contribution] = field(default_factory=dict)


class Rendezvous:
    """The meetings of `size` ranks. Feed it `bring`, `waits` and `ends`; each returns the messages to send.

    A process group goes on as long as its ranks make the same calls. Where they do not, or a rank never comes, the
    meeting is kept, the group is *broken*, and every later call on it is answered at once, so that the ranks run on
    with what they have. What differs in dtype, size or device alone does not break a group.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.meetings: list[CollectiveRound] = []
        self.matched = 0
        self.met = MetInShort()
        self._rounds: dict[_Key, dict[int, Round]] = {}
        self._place: Counter[tuple[_Key, int]] = Counter()
        self._broken: set[_Key] = set()
        self._pending: dict[tuple[int, int], Collective] = {}
        self._waiting: dict[int, int] = {}
        self._ended: dict[int, bool] = {}  # by rank: whether by an error
        self._begun = 0
        self._told: set[object] = set()
        self._apart: dict[_Key, tuple[Collective | None, ...]] = {}

    def bring(
        self, rank: int, bring: Contribution, tag: int | None = None
    ) -> list[Out]:
        """Return a rank makes a call."""
        one = bring.one
        if tag is not None:
            return self._between_two(rank, bring, tag)
        key: _Key = (one.ranks, one.group)
        if key in self._broken:
            return [_alone(rank, bring.number)]
        self._pending[rank, bring.number] = one
        place = self._place[key, rank]
        self._place[key, rank] += 1
        found = self._round(key, place, one.ranks)
        found.brought[rank] = bring
        out = self._settle(key, place) if len(found.brought) == len(one.ranks) else []
        return out + self._stuck()

    def _round(self, key: _Key, place: int, ranks: tuple[int, ...]) -> Round:
        rounds = self._rounds.setdefault(key, {})
        if place not in rounds:
            self._begun += 1
            rounds[place] = Round(ranks, self._begun)
        return rounds[place]

    def waits(self, rank: int, number: int) -> list[Out]:
        """Return a rank goes no further until a call of its is answered."""
        if (rank, number) not in self._pending:  # the answer is on its way
            return []
        self._waiting[rank] = number
        return self._stuck()

    def ends(self, rank: int, *, by_error: bool) -> list[Out]:
        """Return a rank's program is over.

        A rank that died takes its groups with it: that is no mistake of the others.
        """
        self._ended[rank] = by_error
        self._waiting.pop(rank, None)
        out: list[Out] = []
        if by_error:
            for key, rounds in list(self._rounds.items()):
                if any(
                    rank in found.ranks and rank not in found.brought
                    for found in rounds.values()
                ):
                    out += self._break(key)
            self._broken |= {key for key in self._rounds if rank in _members(key)}
        return out + self._stuck()

    def close(self) -> None:
        """Report the meetings that were begun and never joined, after all ranks have ended."""
        for key, found in sorted(self._open(), key=lambda item: item[1].order):
            if not any(self._ended.get(rank) for rank in found.ranks):
                self._keep(self._meeting(found, key))

    def _between_two(self, rank: int, bring: Contribution, tag: int) -> list[Out]:
        one = bring.one
        self._pending[rank, bring.number] = one
        pair, sends = one.ranks, rank == one.ranks[0] and one.op in ("send", "isend")
        for key, rounds in self._rounds.items():
            if (
                key[0] != "pair"
                or key[2:] != (one.group, tag)
                or not _pairs(key[1], pair)
            ):
                continue
            for place, found in rounds.items():
                (other,) = found.brought.values()
                if (other.one.op in ("send", "isend")) != sends:
                    found.brought[rank] = bring
                    found.ranks = pair if sends else other.one.ranks
                    return self._settle(key, place) + self._stuck()
        key = ("pair", pair, one.group, tag)
        if key in self._broken:
            del self._pending[rank, bring.number]
            return [_alone(rank, bring.number)]
        self._round(key, self._begun, pair).brought[rank] = bring
        return self._stuck()

    def _settle(self, key: _Key, place: int) -> list[Out]:
        found = self._rounds[key][place]
        meeting = self._meeting(found, key)
        if meeting.fits():
            self.matched += 1
            self.met.add(meeting, fits=True)
            if (
                len({(one.location.file, one.location.line) for one in meeting.present})
                == 1
            ):
                self._apart.pop(key, None)
            else:
                self._apart.setdefault(key, meeting.brought)
        else:
            self._keep(meeting)
        if not meeting.is_whole():
            return self._break(key)
        del self._rounds[key][place]
        return list(self._answered(found))

    def _answered(self, found: Round) -> Iterator[Out]:
        brought = [found.brought[rank] for rank in found.ranks]
        told = [
            {
                "known": b.data is not None,
                "assumed": b.assumed,
                "sends": b.one.sends,
                "dtype": b.one.tensor.dtype if b.one.tensor else "uint8",
                "bytes": len(b.data or b""),
            }
            for b in brought
        ]
        payload = b"".join(b.data or b"" for b in brought)
        for rank, bring in found.brought.items():
            self._free(rank, bring.number)
            yield rank, {"id": bring.number, "brought": told}, payload

    def _break(self, key: _Key) -> list[Out]:
        """Break a group and release the ranks that wait for it."""
        self._broken.add(key)
        out = []
        for found in self._rounds.pop(key, {}).values():
            for rank, bring in found.brought.items():
                self._free(rank, bring.number)
                out.append(_alone(rank, bring.number))
        return out

    def _free(self, rank: int, number: int) -> None:
        self._pending.pop((rank, number), None)
        if self._waiting.get(rank) == number:
            del self._waiting[rank]

    def _stuck(self) -> list[Out]:
        """Release the ranks that can never go on; the meeting that began first gives the reason."""
        out: list[Out] = []
        for key, found in self._open():
            gone = set(found.ranks).difference(found.brought).intersection(self._ended)
            if gone and key not in self._broken and self._is_awaited(found):
                if not any(map(self._ended.__getitem__, gone)):
                    self._keep(self._meeting(found, key))
                out += self._break(key)
        if self._waiting and len(self._waiting) + len(self._ended) == self.size:
            out += self._all_wait()
        return out

    def _is_awaited(self, found: Round) -> bool:
        return any(
            self._waiting.get(rank) == bring.number
            for rank, bring in found.brought.items()
        )

    def _all_wait(self) -> list[Out]:
        stuck = [(key, found) for key, found in self._open() if self._is_awaited(found)]
        out: list[Out] = []
        tied: list[set[int]] = []
        for key, found in sorted(stuck, key=lambda item: item[1].order):
            members = set(found.ranks)
            if not any(members & other for other in tied):
                self._keep(self._meeting(found, key))
            tied.append(members)
        for key, _ in stuck:
            out += self._break(key)
        return out

    def _open(self) -> list[tuple[_Key, Round]]:
        """Return the meetings from which a rank is missing."""
        return [
            (key, found)
            for key, rounds in self._rounds.items()
            for found in rounds.values()
            if len(found.brought) < len(set(found.ranks))
        ]

    def _meeting(self, found: Round, key: _Key) -> CollectiveRound:
        brought = [found.brought.get(rank) for rank in found.ranks]
        waits = {
            rank: self._pending.get((rank, number))
            for rank, number in self._waiting.items()
        }
        return CollectiveRound(
            ranks=found.ranks,
            brought=tuple(b.one if b else None for b in brought),
            instead=tuple(
                None if b else waits.get(rank)
                for rank, b in zip(found.ranks, brought, strict=True)
            ),
            # A sender and its receiver are at different lines by nature: that shifts nothing.
            before=() if key[0] == "pair" else self._apart.get(key, ()),
        )

    def _keep(self, meeting: CollectiveRound) -> None:
        """Keep a meeting; the same calls of the same lines are reported once."""
        key = tuple(
            one and (one.op, one.rank, one.location.file, one.location.line)
            for one in meeting.brought
        )
        if key not in self._told:
            self.met.add(meeting, fits=False)
            self._told.add(key)
            self.meetings.append(meeting)


def _alone(rank: int, number: int) -> Out:
    return rank, {"id": number, "brought": None}, b""


def _members(key: _Key) -> Iterable[int]:
    members: Any = key[1] if key[0] == "pair" else key[0]
    return tuple(members)


def _pairs(one: Any, other: tuple[int, ...]) -> bool:
    """Check whether a sender and a receiver mean each other; -1 receives from anybody."""
    return bool(one[1] == other[1] and (one[0] == other[0] or -1 in (one[0], other[0])))
