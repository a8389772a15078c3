"""A rank's view of the other ranks: it says what it brings to a collective, and gets what the others brought."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ...core.meeting import Collective
from .channel import Channel

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """One member's contribution to a group: its bytes (None if unknown), cut by `sends`."""

    data: bytes | None
    assumed: bool
    sends: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The contributions of all members, in group order. None if the ranks did not meet."""

    brought: tuple[Brought, ...] | None


class MultiRankTrace:
    """Rank `rank` of `size`."""

    def __init__(self, rank: int, size: int, channel: Channel) -> None:
        """Start with a connected channel."""
        self.rank, self.size = rank, size
        self._channel = channel
        self._answers: dict[int, Answer] = {}
        self._last = 0

    def bring(
        self,
        one: Collective,
        data: bytes | None = None,
        *,
        assumed: bool = False,
        tag: int | None = None,
    ) -> int:
        """Go to a meeting; the number by which to ask for what the others brought. `tag` is a point-to-point call's."""
        self._last += 1
        header: dict[str, Any] = {
            "id": self._last,
            "brings": asdict(one),
            "known": data is not None,
            "assumed": assumed,
            "tag": tag,
        }
        self._channel.send(header, data or b"")
        return self._last

    def answer(self, number: int) -> Answer:
        """Wait until the others have come."""
        if number not in self._answers:
            self._channel.send({"waits": number})
        while number not in self._answers:
            header, payload = self._channel.receive()
            self._answers[header["id"]] = _answer(header, payload)
        return self._answers.pop(number)


class Unmet(MultiRankTrace):
    """The same rank where no other comes: what they would have brought is unknown."""

    def __init__(self, one: MultiRankTrace) -> None:
        """Take the place of `one`."""
        super().__init__(one.rank, one.size, one._channel)

    def bring(
        self,
        one: Collective,  # noqa: ARG002 - as of `MultiRankTrace`
        data: bytes | None = None,  # noqa: ARG002
        *,
        assumed: bool = False,  # noqa: ARG002
        tag: int | None = None,  # noqa: ARG002
    ) -> int:
        """Return 0 and send nothing."""
        return 0

    def answer(self, number: int) -> Answer:  # noqa: ARG002
        """Return an answer without values."""
        return Answer(brought=None)


def _answer(header: dict[str, Any], payload: bytes) -> Answer:
    if header["brought"] is None:
        return Answer(brought=None)
    found, start = [], 0
    for one in header["brought"]:
        size = one.pop("bytes")
        data = payload[start : start + size] if one.pop("known") else None
        start += size
        found.append(
            Brought(
                data=data,
                assumed=one["assumed"],
                sends=tuple(one["sends"]),
                dtype=one["dtype"],
            )
        )
    return Answer(brought=tuple(found))


def dtype_of(name: str) -> torch.dtype:
    """Return the dtype of a canonical name."""
    import torch

    found: torch.dtype = getattr(torch, name)
    return found
