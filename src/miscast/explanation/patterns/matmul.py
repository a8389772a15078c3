"""Matrix products and linear layers whose operands have different dtypes."""

from ..pattern import OpClue, Pattern

_PRODUCTS = (
    OpClue(op="bmm", place="words", words=("torch.bmm", ".bmm(")),
    OpClue(op="matmul", place="words", words=("torch.matmul", " @ ", "torch.mm(")),
    OpClue(op="matmul", place="outside_torch", words=("backward",)),
)
PATTERNS = (
    Pattern(
        name="mat1-mat2-dtype", category="dtype-mismatch", op="linear",
        texts=(
            "mat1 and mat2 must have the same dtype[|, but got {mat1} and {mat2}]",
            "expected [mat1 and mat2|m1 and m2] to have the same dtype, but got: {mat1} != {mat2}",
        ),
        op_clues=_PRODUCTS, raised_by="torch.mm(torch.ones(2, 2), torch.ones(2, 2).half())",
    ),
    Pattern(
        name="self-mat2-dtype", category="dtype-mismatch", op="linear",
        texts=(
            "self and mat2 must have the same dtype[|, but got {self} and {mat2}]",
            "expected self and mat2 to have the same dtype, but got[|:] {self} [!=|and] {mat2}",
        ),
        op_clues=_PRODUCTS, raised_by="F.linear(torch.ones(2, 2), torch.ones(2, 2).half(), torch.ones(2))",
    ),
    Pattern(
        name="addmv-dtype", category="dtype-mismatch", op="addmv",
        texts=("addmv input tensors must have the same dtype, but got {self}, {mat}[,|] and {vec}",),
    ),
    Pattern(
        name="dot-dtype", category="dtype-mismatch", op="dot",
        texts=("dot : expected both vectors to have same dtype, but found {self} and {other}",),
        raised_by="torch.dot(torch.ones(2), torch.ones(2).half())",
    ),
    Pattern(
        name="matmul-out-dtype", category="dtype-mismatch",
        texts=("Expected out tensor to have dtype {expected}, but got {out} instead",), usual_op=(OpClue(op="matmul"),),
        raised_by="torch.mm(torch.ones(2, 2), torch.ones(2, 2), out=torch.ones(2, 2).half())",
    ),
    Pattern(
        name="linalg-operands-dtype", category="dtype-mismatch", op="linalg",
        texts=(
            "{op:name}: Expected {...} and {...} to have the same dtype, but found {...} of type {a} and {...} of type {b}",
            "{op:name}: Expected {...} and {...} to have the same dtype, but [got|found] {a} and {b}",
            "Expected b and A to have the same dtype, but found b of type {b} and A of type {A} instead",
        ),
        raised_by="torch.linalg.solve(torch.eye(2), torch.ones(2, 1).double())",
    ),
    Pattern(
        name="int8-weight-dtype", category="dtype-mismatch", op="matmul",
        texts=(
            "Expected mat2 dtype to be of type int8 but got {mat2}",
            "Expected A.dtype() == at::k{expected} to be true, but got false",
            "Expected self dtype to be int8 or uint8 but got {self}",
        ),
    ),
    Pattern(
        name="triton-dot-dtype", category="dtype-mismatch", op="tl.dot", library="triton",
        texts=(
            "Both operands must be same [dtype|type]. Got {lhs} and {rhs}",
            "Both operands must be same [dtype|type]. First operand ({lhs}) and second operand ({rhs})",
            "First input ({lhs}) and second input ({rhs}) must have the same dtype",
            "lhs and rhs must have the same [dtype|element type]",
        ),
    ),
    Pattern(
        name="scaled-mm-dtype", category="unsupported-dtype", op="_scaled_mm",
        texts=(
            "Expected [mat1|a|mat_a|mat2|b|mat_b|self] to be Float8 matrix[, got|, but got|got] {mat1}",
            "torch._scaled_mm is only supported on CUDA devices with compute capability",
            "scale_[a|b|result] must be {...}float scalar",
        ),
    ),
)
