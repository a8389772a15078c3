"""The bookkeeping of meetings, without processes: who is answered, who waits in vain, and what is kept of it."""

from __future__ import annotations

from miscast.core.event import Location, TensorMeta
from miscast.core.meeting import Collective, CollectiveRound, ranks
from miscast.running.distributed.rendezvous import Contribution, Rendezvous


def call(rank: int, line: int, op: str = "all_reduce", *, dtype: str = "float32", size=2, count=4, **more):
    who = tuple(range(size))
    meta = TensorMeta(dtype=dtype, device="cpu", shape=(count,))
    given = {"ranks": who, "group": "0", "sends": (count,) * size, "takes": (count,) * size, "tensor": meta} | more
    return Collective(op=op, rank=rank, location=Location(file="a.py", line=line), backend="gloo", **given)


def go(
    rendezvous: Rendezvous, rank: int, number: int, one: Collective, data: bytes | None = b"", tag: int | None = None
):
    out = rendezvous.bring(rank, Contribution(number=number, one=one, data=data), tag)
    return out + rendezvous.waits(rank, number)


def answered(out) -> dict[int, bool]:
    """By rank, whether it got what the others brought."""
    return {rank: header["brought"] is not None for rank, header, _ in out}


def test_the_last_to_come_frees_all() -> None:
    rendezvous = Rendezvous(2)
    assert go(rendezvous, 0, 1, call(0, 5), b"aa") == []
    out = go(rendezvous, 1, 1, call(1, 5), b"bb")
    assert answered(out) == {0: True, 1: True}
    assert {payload for _, _, payload in out} == {b"aabb"}
    assert (rendezvous.matched, rendezvous.meetings) == (1, [])


def test_what_differs_in_dtype_goes_on_and_is_told_once_per_line() -> None:
    rendezvous = Rendezvous(2)
    for number in (1, 2, 3):
        go(rendezvous, 0, number, call(0, 5))
        assert answered(go(rendezvous, 1, number, call(1, 5, dtype="float16"))) == {0: True, 1: True}
    assert (rendezvous.matched, len(rendezvous.meetings)) == (0, 1)


def test_other_calls_break_the_group_and_nobody_waits_for_it_again() -> None:
    rendezvous = Rendezvous(2)
    go(rendezvous, 0, 1, call(0, 5))
    assert answered(go(rendezvous, 1, 1, call(1, 6, "barrier"))) == {0: False, 1: False}
    assert answered(go(rendezvous, 0, 2, call(0, 7))) == {0: False}
    other = {"group": "1"}
    go(rendezvous, 0, 3, call(0, 8, **other))
    assert answered(go(rendezvous, 1, 2, call(1, 8, **other))) == {0: True, 1: True}
    assert (rendezvous.matched, len(rendezvous.meetings)) == (1, 1)


def test_a_rank_that_ended_is_missed() -> None:
    rendezvous = Rendezvous(3)
    go(rendezvous, 0, 1, call(0, 5, size=3))
    go(rendezvous, 1, 1, call(1, 5, size=3))
    assert answered(rendezvous.ends(2, by_error=False)) == {0: False, 1: False}
    assert [meeting.absent for meeting in rendezvous.meetings] == [(2,)]


def test_a_rank_that_died_is_not_missed() -> None:
    rendezvous = Rendezvous(2)
    go(rendezvous, 0, 1, call(0, 5))
    assert answered(rendezvous.ends(1, by_error=True)) == {0: False}
    assert answered(go(rendezvous, 0, 2, call(0, 6))) == {0: False}
    rendezvous.ends(0, by_error=False)
    rendezvous.close()
    assert rendezvous.meetings == []


def test_two_that_wait_for_each_other_are_one_meeting() -> None:
    rendezvous = Rendezvous(2)
    go(rendezvous, 0, 1, call(0, 5, group="a"))
    assert answered(go(rendezvous, 1, 1, call(1, 6, group="b"))) == {0: False, 1: False}
    assert len(rendezvous.meetings) == 1
    (meeting,) = rendezvous.meetings
    assert (meeting.absent, [one and one.location.line for one in meeting.instead]) == ((1,), [None, 6])


def test_what_nobody_waits_for_is_missed_in_the_end() -> None:
    rendezvous = Rendezvous(2)
    rendezvous.bring(0, Contribution(number=1, one=call(0, 5), data=None))
    rendezvous.ends(0, by_error=False)
    rendezvous.ends(1, by_error=False)
    assert rendezvous.meetings == []
    rendezvous.close()
    assert [meeting.absent for meeting in rendezvous.meetings] == [(1,)]


def test_sends_and_receives_pair_up_by_tag_and_from_anybody() -> None:
    rendezvous = Rendezvous(2)
    pair = {"ranks": (0, 1), "sends": (0, 4), "takes": (0, 0)}
    back = {"sends": (0, 0), "takes": (4, 0)}
    go(rendezvous, 0, 1, call(0, 5, "isend", **pair), b"one", tag=1)
    go(rendezvous, 0, 2, call(0, 6, "isend", **pair), b"two", tag=2)
    out = go(rendezvous, 1, 1, call(1, 7, "recv", ranks=(0, 1), **back), tag=2)
    assert [payload for rank, _, payload in out if rank == 1] == [b"two"]
    out = go(rendezvous, 1, 2, call(1, 8, "recv", ranks=(-1, 1), **back), tag=1)
    assert [payload for rank, _, payload in out if rank == 1] == [b"one"]
    assert (rendezvous.matched, rendezvous.meetings) == (2, [])


def test_a_long_run_keeps_nothing_of_what_matched() -> None:
    rendezvous = Rendezvous(2)
    for number in range(1, 2001):
        go(rendezvous, 0, number, call(0, 5))
        go(rendezvous, 1, number, call(1, 5))
    assert rendezvous.matched == 2000
    assert not any(rendezvous._rounds.values())
    assert not rendezvous._pending


def test_ranks_in_words() -> None:
    assert [ranks(numbers) for numbers in ((2,), (0, 1), (3, 0, 1, 2), (0, 1, 2, 5), (-1,))] == [
        "rank 2", "ranks 0, 1", "ranks 0-3", "ranks 0-2, 5", "any rank",
    ]  # fmt: skip


def test_uneven_gathers_fit_if_each_makes_room_for_each() -> None:
    one = call(0, 5, "all_gather", sends=(3, 3), takes=(3, 4))
    two = call(1, 5, "all_gather", sends=(4, 4), takes=(3, 4))
    assert CollectiveRound(ranks=(0, 1), brought=(one, two)).fits()
    assert not CollectiveRound(ranks=(0, 1), brought=(one, call(1, 5, "all_gather", sends=(4, 4), takes=(4, 4)))).fits()


def test_meetings_are_kept_in_short_in_their_order() -> None:
    rendezvous = Rendezvous(2)
    for number, line in enumerate((5, 5, 5, 6), 1):
        go(rendezvous, 0, number, call(0, line))
        go(rendezvous, 1, number, call(1, line))
    go(rendezvous, 0, 9, call(0, 7))
    go(rendezvous, 1, 9, call(1, 8, "barrier"))
    kept = rendezvous.met.told()
    told = [(one.op, [at and at.line for at in one.at], one.said[1], one.fits, one.count) for one in kept]
    assert told == [
        ("all_reduce", [5, 5], "all_reduce", True, 3),
        ("all_reduce", [6, 6], "all_reduce", True, 1),
        ("all_reduce", [7, 8], "barrier", False, 1),
    ]


def test_of_many_meetings_the_first_are_kept_and_those_that_do_not_fit() -> None:
    rendezvous = Rendezvous(2)
    for number in range(1, 1001):
        go(rendezvous, 0, number, call(0, number))
        go(rendezvous, 1, number, call(1, number))
    for number in range(1001, 1200):
        go(rendezvous, 0, number, call(0, number))
        go(rendezvous, 1, number, call(1, number, dtype="float16"))
    told = rendezvous.met.told()
    assert (len([one for one in told if one.fits]), len([one for one in told if not one.fits])) == (120, 60)
    assert told[-1].dtype == "float32, float16"
    assert rendezvous.matched == 1000


def test_who_never_came_has_no_line() -> None:
    rendezvous = Rendezvous(2)
    go(rendezvous, 0, 1, call(0, 5))
    rendezvous.ends(1, by_error=False)
    (one,) = rendezvous.met.told()
    assert (one.fits, one.at[0].line, one.at[1]) == (False, 5, None)
