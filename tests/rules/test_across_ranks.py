"""Each rule that holds ranks against each other: what it says of a meeting, word by word, and of which nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

import traces
from miscast.core.event import TensorMeta
from miscast.core.meeting import Collective, CollectiveRound, MultiRankTrace, Part
from miscast.judging.rules import judge_world
from sweep import sweep

NCCL, GLOO, BOTH = "nccl", "gloo", "cpu:gloo,cuda:nccl"
SAID = " does not compare ranks; with TORCH_DISTRIBUTED_DEBUG=DETAIL, torch reports both"
ORDER = "make the same calls in the same order on every rank, not inside `if rank == …`"
OFTEN = "call {} equally often on every rank: not inside `if rank == …`, nor in a loop whose length differs"
PAD = "gather the sizes first, then pad to the largest of all ranks"
SAME = "let one rank decide on the model and broadcast the decision: broadcast_object_list"
HANGS = "the run hangs until the timeout: "
WRONG = "the run hangs, or continues with wrong values: "
MIXES = "the run hangs, or mixes data of different calls: "
COUNTS = (
    "RuntimeError: DDP expects same model across all ranks, but Rank 0 has 2 params, "
    "while rank 1 has inconsistent 1 params."
)
SHAPES = (
    "RuntimeError: params[…] in this process with sizes […] "
    "appears not to match sizes of the same param in process 0."
)
ABORTS = "gloo aborts (op.preamble.length <= op.nbytes), or leaves part of the result unwritten: "


def came(rank, op="all_reduce", *, dtype="float32", device=None, shape=(2, 3), backend=NCCL, ranks=(0, 1, 2), **more):
    """What a rank brings: a tensor, if it has a dtype."""
    meta = TensorMeta(dtype=dtype, device=device or f"cuda:{rank}", shape=shape) if dtype else None
    return Collective(op=op, rank=rank, ranks=ranks, group="0", location=traces.at(rank + 1), backend=backend,
                      tensor=meta, **more)  # fmt: skip


def world(*brought, ranks=(0, 1, 2), **more):
    """Ranks that meet so, after they have met as they should."""
    fits = CollectiveRound(ranks=(0, 1), brought=(came(0, ranks=(0, 1)), came(1, ranks=(0, 1))))
    meeting = CollectiveRound(ranks=ranks[: len(brought)], brought=brought, **more)
    return MultiRankTrace(traces=(traces.trace(),) * len(brought), meetings=(fits, meeting))


def sized(rank, count, **more):
    return came(rank, ranks=(0, 1), sends=(count,) * 2, takes=(count,) * 2, shape=(count,), **more)


def model(rank, *parts):
    """The parameters that a rank's DDP takes over."""
    metas = [TensorMeta(dtype=dtype, device="cuda:0", shape=shape) for dtype, shape in parts]
    taken = tuple(Part(name=f"p{i}", tensor=meta) for i, meta in enumerate(metas))
    return came(rank, "DistributedDataParallel", dtype=None, parts=taken)


PEER = {"ranks": (0, 1), "dtype": None}
SUM, LARGEST = {"arguments": (("op", "SUM"),)}, {"arguments": (("op", "MAX"),)}
ALIKE = ("float32", (2,))
CASES = {
    "one rank calls another op": (
        world(came(0, **SUM), came(1, "broadcast", arguments=(("src", "0"),)), came(2, **SUM)),
        "collective-call-mismatch", "rank 1 calls broadcast(src=0) where ranks 0, 2 call all_reduce",
        MIXES + "NCCL" + SAID, ORDER,
    ),
    "two ranks call another op": (
        world(came(0), came(1, "barrier", dtype=None, backend=GLOO), came(2, "barrier", dtype=None, backend=GLOO)),
        "collective-call-mismatch", "rank 0 calls all_reduce where ranks 1, 2 call barrier",
        MIXES + "NCCL" + SAID, ORDER,
    ),
    "another reduction": (
        world(came(0, backend=GLOO, **SUM), came(1, backend=GLOO, **LARGEST)),
        "collective-call-mismatch", "rank 1 calls all_reduce(op=MAX) where rank 0 calls all_reduce(op=SUM)",
        MIXES + "gloo" + SAID, "give all_reduce the same `op` on every rank",
    ),
    "a reduction that only one rank names": (
        world(came(0, backend=GLOO, **SUM), came(1, backend=GLOO)),
        "collective-call-mismatch", "rank 1 calls all_reduce where rank 0 calls all_reduce(op=SUM)",
        MIXES + "gloo" + SAID, "give all_reduce the same arguments on every rank",
    ),
    "another device": (
        world(came(0, backend=BOTH), came(1, device="cpu", backend=BOTH), came(2, backend=BOTH)),
        "collective-device-mismatch",
        "all_reduce gets a cpu tensor on rank 1 but a cuda tensor on ranks 0, 2",
        f"{HANGS}each device has its own backend ({BOTH})",
        "move it to its rank's device before all_reduce",
    ),
    "a wider dtype": (
        world(came(0, dtype="float16"), came(1, dtype="float16"), came(2, dtype="float32")),
        "collective-dtype-mismatch", "all_reduce gets float32 on rank 2 but float16 on ranks 0, 1",
        WRONG + "NCCL" + SAID, "cast on every rank before all_reduce: .to(torch.float32)",
    ),
    "a narrower dtype over gloo": (
        world(came(0, backend=GLOO), came(1, dtype="float16", backend=GLOO)),
        "collective-dtype-mismatch", "all_reduce gets float16 on rank 1 but float32 on rank 0",
        ABORTS + "gloo" + SAID, "cast on every rank before all_reduce: .to(torch.float32)",
    ),
    "a dtype as wide over gloo": (
        world(came(0, dtype="bfloat16", backend=GLOO), came(1, dtype="float16", backend=GLOO)),
        "collective-dtype-mismatch", "all_reduce gets float16 on rank 1 but bfloat16 on rank 0",
        "the bytes of one dtype are silently read as the other: gloo" + SAID,
        "cast on every rank before all_reduce: .to(torch.float16)",
    ),
    "nobody else comes": (
        world(came(0), came(1), None),
        "collective-never-reached", "ranks 0, 1 wait in all_reduce, but rank 2 has ended",
        HANGS + "NCCL" + SAID, OFTEN.format("all_reduce"),
    ),
    "two never come": (
        world(came(0, backend=GLOO), None, None),
        "collective-never-reached", "rank 0 waits in all_reduce, but ranks 1, 2 have ended",
        HANGS + "gloo" + SAID, OFTEN.format("all_reduce"),
    ),
    "two wait elsewhere": (
        world(came(0), None, None, instead=(None, came(1, "barrier", dtype=None), came(2, "barrier", dtype=None))),
        "collective-never-reached", "rank 0 waits in all_reduce, but ranks 1, 2 wait in barrier",
        HANGS + "NCCL" + SAID, OFTEN.format("all_reduce"),
    ),
    "nobody receives": (
        world(came(0, "isend", **PEER), None),
        "collective-never-reached", "send of rank 0 is never received by rank 1, which has ended",
        HANGS + "NCCL" + SAID, "match every send with a receive on the other rank",
    ),
    "both send first": (
        world(came(0, "send", **PEER), None, instead=(None, came(1, "send", **PEER))),
        "collective-never-reached", "send of rank 0 is never received by rank 1, which waits in send",
        HANGS + "NCCL" + SAID,
        "let one of the two ranks receive first, or use isend and irecv (batch_isend_irecv)",
    ),
    "nobody sends": (
        world(None, came(1, "irecv", **PEER)),
        "collective-never-reached", "recv of rank 1 is never sent by rank 0, which has ended",
        HANGS + "NCCL" + SAID, "match every send with a receive on the other rank",
    ),
    "another size": (
        world(sized(0, 1), sized(1, 1200)),
        "collective-size-mismatch", "all_reduce: rank 0 sends 1 element [1], rank 1 expects 1,200 [1200]",
        WRONG + "NCCL" + SAID, PAD,
    ),
    "another size over gloo": (
        world(sized(0, 1200, backend=GLOO), sized(1, 1, backend=GLOO)),
        "collective-size-mismatch", "all_reduce: rank 0 sends 1,200 elements [1200], rank 1 expects 1 [1]",
        ABORTS + "gloo" + SAID, PAD,
    ),
    "one GPU": (
        world(came(0, device="cuda:0"), came(1, device="cuda:0")),
        "device-shared-by-ranks", "all_reduce: rank 1 is on cuda:0, like rank 0",
        "ncclInvalidUsage: Duplicate GPU detected : rank 1 and rank 0 both on CUDA device",
        'call torch.cuda.set_device(int(os.environ["LOCAL_RANK"])) before moving any tensor',
    ),
    "more parameters": (
        world(model(0, ALIKE, ALIKE), model(1, ALIKE), model(2, ALIKE)),
        "replicas-differ", "DistributedDataParallel: 2 parameters on rank 0, 1 on ranks 1, 2",
        COUNTS, SAME,
    ),
    "another shape": (
        world(model(0, ALIKE, ALIKE), model(1, ALIKE, ("float32", (3, 4)))),
        "replicas-differ", "DistributedDataParallel: `p1` is float32 [3, 4] on rank 1, float32 [2] on rank 0",
        SHAPES, SAME,
    ),
    "another dtype of a parameter": (
        world(model(0, ALIKE), model(1, ("float16", (2,)))),
        "replicas-differ", "DistributedDataParallel: `p0` is float16 [2] on rank 1, float32 [2] on rank 0",
        ("the weights of rank 0 are sent as bytes: the run hangs, aborts, or fills the weights of other ranks "
        "with garbage"), SAME,
    ),
}  # fmt: skip


@sweep("name", CASES)
def test_a_meeting_that_does_not_fit_is_one_finding(name):
    met, rule, message, effect, fix = CASES[name]
    (finding,) = judge_world(met)
    assert (finding.rule, finding.severity, finding.message) == (rule, "error", message)
    assert (finding.error, finding.raises) == (effect, "")
    assert [one.title for one in finding.fixes] == [fix]


def test_each_side_of_a_meeting_is_shown_by_its_first_rank():
    (finding,) = judge_world(CASES["another device"][0])
    assert [related.location.line for related in finding.related] == [1]
    assert finding.location.line == 2


FITS = {
    "alike": world(came(0), came(1), came(2)),
    "two devices of one backend": world(came(0, backend=GLOO), came(1, device="cpu", backend=GLOO)),
    "sizes as they are expected": world(sized(0, 3), sized(1, 3)),
    "one GPU over gloo": world(came(0, device="cuda:0", backend=GLOO), came(1, device="cuda:0", backend=GLOO)),
    "one processor": world(came(0, device="cpu"), came(1, device="cpu")),
    "models alike": world(model(0, ALIKE), model(1, ALIKE)),
}


@pytest.mark.parametrize("name", FITS)
def test_a_meeting_that_fits_is_none(name):
    assert judge_world(FITS[name]) == ()


def test_what_did_not_come_is_told_before_models_are_compared():
    (finding,) = judge_world(world(model(0, ALIKE), model(1, ("float16", (2,))), None))
    assert finding.rule == "collective-never-reached"


def test_behind_a_meeting_that_is_not_compared_models_are_compared():
    other = CollectiveRound(ranks=(0, 1), brought=(came(0, **PEER), came(1, "barrier", **PEER)))
    differ = world(model(0, ALIKE), model(1, ("float16", (2,))))
    found = judge_world(replace(differ, meetings=(other, *differ.meetings)))
    assert [one.rule for one in found] == ["collective-call-mismatch", "replicas-differ"]


def test_a_shared_device_is_told_once_for_each_pair():
    def shared(*ranks):
        return CollectiveRound(ranks=ranks, brought=tuple(came(rank, device="cuda:0") for rank in ranks))

    met = MultiRankTrace(traces=(traces.trace(),) * 3, meetings=(shared(0, 1), shared(0, 1), shared(0, 2)))
    assert [finding.message for finding in judge_world(met)] == [
        "all_reduce: rank 1 is on cuda:0, like rank 0", "all_reduce: rank 2 is on cuda:0, like rank 0",
    ]  # fmt: skip
