"""Collectives, sharded and flattened parameters, and the optimizer's fused buffers."""

from ..pattern import OpClue, Pattern

_COLLECTIVES = {
    "ALLREDUCE": "all_reduce", "BROADCAST": "broadcast", "_ALLGATHER_BASE": "all_gather_into_tensor", "ALLGATHER": "all_gather",
    "_REDUCE_SCATTER_BASE": "reduce_scatter_tensor", "REDUCE_SCATTER": "reduce_scatter", "REDUCE": "reduce",
    "ALLTOALL_BASE": "all_to_all_single", "ALLTOALL": "all_to_all", "GATHER": "gather", "SCATTER": "scatter",
}  # fmt: skip
"""Names of collectives in torch.distributed's logs."""

PATTERNS = (
    Pattern(
        name="fsdp-flatten", category="distributed-dtype", op="FSDP",
        texts=(
            "Must flatten tensors with [uniform|the same] dtype but got {a} and {b}",
            "`FlatParameter` requires uniform dtype but got {a} and {b}",
            "Cannot flatten integer dtype tensors",
        ),
        implies=("mixed-parameters-flattened",),
    ),
    Pattern(
        name="fsdp2-uniform", category="distributed-dtype", op="FSDP",
        texts=(
            "FSDP expects uniform original parameter dtype but got {...}{a}, {b}",
            "FSDP {...} expects uniform {...} dtype but got {...}{a}, {b}",
            "FSDP expects {...}same dtype",
            "uniform dtype across all gradients but got {...}{a}, {b}",
        ),
        op_clues=(OpClue(op="reduce_scatter", place="message", words=("reduce-scatter",)),),
        implies=("mixed-parameters-flattened",),
    ),
    Pattern(
        name="collective-output-type", category="distributed-dtype", op="all_gather",
        texts=(
            "output tensor must have the same type as input tensor",
            "input and output tensors must have the same type",
        ),
        op_clues=(OpClue(place="collective"),), implies=("mixed-parameters-gathered",),
    ),
    Pattern(
        name="collective-list-types", category="distributed-dtype", op="all_reduce",
        texts=(
            "Tensors must have identical type",
            "[Tensor list|tensor list]{...}same [dtype|type]",
            "All parameters in a bucket must have the same dtype",
            "expected dtype {expected} {...}bucket{...} {found}",
            "Invalid usage of tensors with different dtypes",
            "Invalid usage of tensors with different dtypesFound {a} and {b}",
        ),
        op_clues=(OpClue(place="collective"),), implies=("mixed-parameters-gathered",),
        examples=("RuntimeError: Tensors must have identical type",),
    ),
    Pattern(
        name="nccl-dtype", category="distributed-dtype", op="collective",
        texts=(
            "Input tensor data type is not supported for NCCL process group: {found}",
            "Unconvertible NCCL type {found}",
            "Unsupported [|tensor ]data type for [NCCL|HCCL|RCCL|XCCL|oneCCL|Gloo]",
            "Invalid scalar type",
            "nccl{op:name} failed: invalid data type",
            "{op:name} does not support {...} on complex tensors",
            "ProcessGroupGloo.cpp{...}Check failed: {...}dtype() == {...}dtype() ({a} vs. {b}",
        ),
        op_clues=(OpClue(place="collective"),), implies=("backend-cannot-reduce",),
    ),
    Pattern(
        name="collective-sizes-differ", category="distributed-dtype", op="collective",
        texts=("op.preamble.length <= op.nbytes. {...} vs {...}",), op_clues=(OpClue(place="calls"),),
        implies=("mixed-parameters-gathered",),
        examples=("RuntimeError: [enforce fail at gloo/transport/tcp/pair.cc:456] op.preamble.length <= op.nbytes. 2048 vs 1024. ",),
    ),
    Pattern(
        name="collective-mismatch", category="distributed-dtype", op="collective", differ=True,
        texts=tuple(
            f"Detected mismatch between collectives on ranks. Rank {{n:int}} is running {{...}}OpType={op}, {{...}}"
            f"TensorDtypes={{a}}, {{...}}is running {{...}}OpType={op}, {{...}}TensorDtypes={{b}}"
            for op in _COLLECTIVES
        ),
        op_clues=(*(OpClue(op=op, place="message", words=(f"optype={name.lower()},",)) for name, op in _COLLECTIVES.items()),),
        implies=("mixed-parameters-gathered",),
        examples=(
            ("RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is running collective: "
             "CollectiveFingerPrint(OpType=ALLREDUCE, TensorShape=[4], TensorDtypes=Float, TensorDeviceTypes=cuda), but "
             "Rank 1 is running collective: CollectiveFingerPrint(OpType=ALLREDUCE, TensorShape=[4], "
             "TensorDtypes=Half, TensorDeviceTypes=cuda)"),
        ),
    ),
    Pattern(
        name="nccl-cpu-tensor", category="device-mismatch", op="collective",
        texts=("No backend type associated with device type {tensor:device}", "Tensors must be CUDA and dense"),
        op_clues=(
            OpClue(place="collective"),
            OpClue(op="DistributedDataParallel", place="file", words=("distributed.py", "ddp.py"), frames=12),
            OpClue(op="all_reduce", place="message", words=("cudaanddense",)),
        ),
        operands=(("tensor", "", "cpu"),), implies=("cpu-tensor-in-nccl",),
    ),
    Pattern(
        name="optimizer-state-dtype", category="dtype-mismatch", op="optimizer.step",
        texts=(
            "Found dtype {found} but expected {expected} in optimizer",
            "params, grads, exp_avgs, and exp_avg_sqs must have same dtype, device, and layout",
        ),
        implies=("optimizer-state-dtype",),
        examples=("RuntimeError: params, grads, exp_avgs, and exp_avg_sqs must have same dtype, device, and layout",),
    ),
    Pattern(
        name="fused-optimizer-params", category="unsupported-dtype", op="optimizer",
        texts=("`fused=True` requires all the params to be floating point Tensors of supported devices",),
        implies=("backend-lacks-dtype",),
    ),
)
