"""Type errors of compilers and recomputation: XLA, Triton and its MLIR dialects, checkpointing."""

from ..pattern import OpClue, Pattern

_DIALECTS = "[tt|ttg|ttir|ttng|triton|arith|math|llvm|llvm.intr|nvvm|rocdl|amdgpu|vector|linalg]"
_TRITON = (OpClue(op="Triton kernel", place="message", words=("tt.", "ttg.", "triton", "llvm", "packll", "ptr")),)
"""Words that distinguish Triton's compiler from others of MLIR, which share its lower dialects."""
PATTERNS = (
    Pattern(
        name="xla-mixed-precision", category="dtype-mismatch", library="torch_xla",
        texts=(
            "Seen floating point types of different precisions in %{hlo:name}.{n:int} = {...}({a}{...}{b}",
            "Seen floating point types of different precisions in %{hlo:name}.{n:int} = ({...}) {...}({a}{...}{b}",
            "Seen floating point types of different precisions",
            "Check failed: at::canCast({...}torch_xla::[AtenXlaType|XLANativeFunctions]::{op:name}(",
            "Check failed: at::canCast(",
            "Check failed: {...}dtype() == at::ScalarType::{expected} ({found} vs.",
            "torch_xla{...}Check failed: {...}dtype() == {...}dtype()",
        ),
        examples=("RuntimeError: torch_xla/csrc/aten_xla_type.cpp:163 : Check failed: at::canCast( resultType, out.scalar_type())",),
    ),
    Pattern(
        name="xla-lowering", category="unsupported-dtype", library="torch_xla",
        texts=(
            "Error while lowering: {...}xla::{op:name}, {...}, dtype={wanted}, stype={found}",
            "Error while lowering: {...}xla::{op:name}, type={...}, dtype={wanted}, stype={found}",
        ),
        operands=(("found", "", "xla"),), implies=("hardware-lacks-dtype",),
    ),
    Pattern(
        name="mlir-operand-type", category="unsupported-dtype", library="triton",
        texts=(
            f"{_DIALECTS}.{{what:name}} op [operand|result] #{{n:int}} must be {{...}}but got {{found}}",
            "Unsupported conversion from {found} to {expected}",
        ),
        op_clues=_TRITON, implies=("gpu-lacks-float8",),
    ),
    Pattern(
        name="gpu-instruction-missing", category="unsupported-dtype", op="Triton kernel", library="triton",
        texts=(
            "Cannot select: intrinsic %llvm.[amdgcn|nvvm].{...}.{found}",
            "[bf|half|double] conversion instruction not supported",
        ),
        implies=("hardware-lacks-dtype",),
        examples=("LLVM ERROR: Cannot select: intrinsic %llvm.amdgcn.fdot2.bf16.bf16",),
    ),
    Pattern(
        name="mlir-types-differ", category="dtype-mismatch", library="triton",
        texts=(
            f"{_DIALECTS}.{{what:name}} op requires the same [type|element type] for all operands and results",
            f"{_DIALECTS}.{{what:name}} op operand type {{...}}{{a}}{{...}} and result type {{...}}{{b}}{{...}} are cast incompatible",
            "invalid element type in packLLElements. Expected {expected} but got {found}",
        ),
        op_clues=_TRITON, implies=("kernel-accepts-one-dtype",),
    ),
    Pattern(
        name="mlir-elements-differ", category="dtype-mismatch", library="",
        texts=(
            "op requires the same element type for all operands and results",
            "op failed to verify that all of {...} have same element type{...}):({...},{a},{b})",
        ),
        implies=("graph-types-differ",),
    ),
    Pattern(
        name="mlir-inputs-differ", category="dtype-mismatch", op="elementwise", library="", differ=True,
        texts=("input types {a} and {b} are not broadcast compatible",),
    ),
    Pattern(
        name="kernel-source-types-differ", category="dtype-mismatch", op="a compiled kernel", library="", differ=True,
        texts=("assigning to {a} from incompatible type {b}",), implies=("kernel-accepts-one-dtype",),
    ),
    Pattern(
        name="mlir-types-do-not-broadcast", category="dtype-mismatch", library="", differ=True,
        texts=("type {a} and {...}type {b} are not broadcast compatible",),
    ),
    Pattern(
        name="mosaic-type", category="unsupported-dtype", op="Pallas kernel", library="torch_xla",
        texts=(
            ("Mosaic failed to compile TPU kernel: [Bad lhs type|Bad rhs type|Bad acc type|Invalid vector type|Unsupported "
             "element type|Unsupported type|Unsupported bitwidth]{...}{found}"),
            "Mosaic failed to compile TPU kernel: [Bad lhs type|Bad rhs type|Bad acc type|Invalid vector type|Unsupported element type|Unsupported bitwidth]",
        ),
        op_clues=(OpClue(op="matmul", place="message", words=("tpu.matmul",)),), implies=("graph-dtype-refused",),
    ),
    Pattern(
        name="triton-cast-refused", category="unsupported-dtype", op="Triton kernel", library="triton",
        texts=(
            "triton.compiler.errors.CompilationError: at {...}.to(tl.float8{...}AssertionError",
            "cannot [convert|cast] {found} to {...}fp8{...}triton",
            "Conversion [from/to|from|to] {found} is only supported on compute capability",
            "atomic_[add|max|min|cas|xchg|and|or|xor|fmax|fmin] does not support {found}",
        ),
        implies=("gpu-lacks-float8",),
        examples=("triton.compiler.errors.CompilationError: at 45:12:\n    k = v.to(tl.float8e4b15)\n            ^\nAssertionError",),
    ),
    Pattern(
        name="triton-variable-changes", category="dtype-mismatch", op="Triton kernel", library="triton",
        texts=(
            "has initial type <{...}{lhs}> but is re-assigned to <{...}{rhs}>",
            "invalid operands of type pointer<{lhs}> and triton.language.{rhs}",
        ),
        implies=("kernel-accepts-one-dtype",),
        examples=(
            ("AssertionError: Loop-carried variable acc has initial type <['16', '16'], fp32> but is re-assigned to "
             "<['16', '16'], fp16> in loop! Please make sure that the type stays consistent."),
        ),
    ),
    Pattern(
        name="triton-branches-differ", category="dtype-mismatch", op="Triton kernel", library="triton", differ=True,
        texts=(
            "[initial value|value] for {...} is of type <{...}{lhs}>, but the {...} block redefines it as <{...}{rhs}>",
            "ismatched type for {...} between then block ({...}{lhs}>) and else block ({...}{rhs}>)",
        ),
        implies=("kernel-accepts-one-dtype",),
        examples=(
            "AssertionError('initial value for `x` is of type <[128], fp16>, but the then block redefines it as <[128], fp32>')",
            "AssertionError: Mismatched type for x between then block (<['16'], fp32>) and else block (<['16'], bf16>)",
        ),
    ),
    Pattern(
        name="recomputed-dtype", category="dtype-mismatch",
        texts=(
            ("Recomputed values for the following tensors have different metadata than during the forward pass"
             "{...}saved metadata: {...}dtype: {forward},{...}recomputed metadata: {...}dtype: {recomputed},"),
        ),
        op="checkpoint", differ=True, implies=("recomputed-under-other-precision",),
        raised_by=(
            "calls = []\n"
            "def f(x):\n    calls.append(x)\n    return x.sin() if len(calls) == 1 else x.double().sin().float()\n"
            "from torch.utils.checkpoint import checkpoint\n"
            "checkpoint(f, torch.ones(2, requires_grad=True), use_reentrant=False).sum().backward()"
        ),
    ),
)
