"""Indexing, gathering and scattering, and the targets of losses."""

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="index-dtype", category="dtype-mismatch", op="index",
        texts=(
            "tensors used as indices must be long, [int, |]byte or bool tensors",
            "tensors used as indices must be long[, int|], byte or bool tensors",
            "tensors used as indices must be long or byte tensors",
        ),
        operands=(("index", "", ""),), raised_by="torch.ones(3)[torch.ones(1)]",
    ),
    Pattern(
        name="index-put-dtype", category="dtype-mismatch", op="index_put_",
        texts=(
            "Index put requires the source and destination dtypes match, got {destination} for the destination and {source} for the source",
            "Index put requires the source and destination dtypes match",
        ),
        raised_by="x = torch.ones(3)\nx[torch.tensor([0])] = torch.ones(1).half()",
    ),
    Pattern(
        name="index-argument-dtype", category="dtype-mismatch", op="gather",
        texts=(
            "{op:name}(): Expected dtype {expected} for index[, but got: {index}|. But got: {index}| but got: {index}|]",
            "{op:name}(): Expected dtype [int32/int64|int32 or int64] for index[| but got: {index}]",
            "take(): Expected a long tensor for index, but got {index}",
            "[index|indices] must be [an int64|a long|int64] tensor[, but got {index}|]",
        ),
        op_clues=(OpClue(place="calls"),), raised_by="torch.gather(torch.ones(3), 0, torch.ones(1).bool())",
    ),
    Pattern(
        name="index-source-unsupported", category="unsupported-dtype",
        texts=("{op:name}(): Expected non {source} dtype for source",), operands=(("source", "", "mps"),),
        implies=("backend-lacks-dtype",),
    ),
    Pattern(
        name="scatter-source-dtype", category="dtype-mismatch", op="scatter",
        texts=("{op:name}(): Expected self.dtype to be equal to src.dtype",),
        raised_by="torch.ones(3).scatter_(0, torch.tensor([0]), torch.ones(1).half())",
    ),
    Pattern(
        name="index-out-dtype", category="dtype-mismatch",
        texts=("{op:name}(): self and result must have the same scalar type",),
        raised_by="torch.index_select(torch.ones(3), 0, torch.tensor([0]), out=torch.ones(1).half())",
    ),
    Pattern(
        name="one-hot-dtype", category="dtype-mismatch", op="one_hot",
        texts=("one_hot is only applicable to index tensor[|s of type LongTensor]",),
        raised_by="F.one_hot(torch.ones(2))", implies=("index-not-int64",),
    ),
    Pattern(
        name="class-target-dtype", category="dtype-mismatch", op="cross_entropy",
        texts=(
            "Expected floating point type for target with class probabilities, got {target}",
            "expected target dtype to be Long or Byte, but got {target}",
        ),
        raised_by="F.cross_entropy(torch.ones(2, 2), torch.ones(2, 2).long())", implies=("target-dtype",),
    ),
    Pattern(
        name="numpy-bool-index", category="dtype-mismatch", op="index",
        texts=("only integer tensors of a single element can be converted to an index",),
        raised_by="[1, 2][torch.ones(1)]", implies=("index-not-int64",),
    ),
)
