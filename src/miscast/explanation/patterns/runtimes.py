"""Refusals of engines for exported models: ONNX Runtime, ExecuTorch, and readers of stored weights."""

from ..pattern import OpClue, Pattern

_ONNX = ("cast", "add", "mul", "div", "sub", "pow", "conv", "gemm", "matmul", "resize", "concat", "where", "clip", "softmax", "gather", "layernormalization")  # fmt: skip

PATTERNS = (
    Pattern(
        name="onnx-type", category="dtype-mismatch", library="onnxruntime",
        texts=(
            "Type parameter (T) [of Optype ({op:name}) |]bound to different types ({a} and {b} in node",
            "Type ({found}) of output arg ({...}) of node ({...}) does not match expected type ({expected}",
            "Unexpected input data type. Actual: (class onnxruntime::PrimitiveDataType<{found}>) , expected: (class onnxruntime::PrimitiveDataType<{expected}>",
            "Unexpected input data type. Actual: (N11onnxruntime",
            "Type {found} of input parameter[s|] of operator ({op:name}) in node",
            "Neuron:{...}Input {arg:name} of {op:name} Op has type {found}[ that|hat] does not match type {expected} of argument {other:name}",
            "Unexpected input data type. Actual: ({found}) , expected: ({expected})",
            "Tensor element data type discovered: {found} metadata expected: {expected}",
            "(op_type:{op:name}, node name: {...}typestr: {...}, has unsupported type: tensor({found}",
            "Inferred elem type differs from existing elem type[ |]: ({a}) vs ({b})",
            "Inferred elem type differs from existing elem type",
            "Op ({op:name}) [TypeInferenceError] {...}element type mismatch",
            "Type Error: Type {found} of input parameter ({arg:name}) of operator ({op:name}) in node ({...}) is invalid",
            "has element type {found} but usage of initializer in graph expects {expected}",
            "TypeInferenceError] {...}element type mismatch",
        ),
        op_clues=tuple(OpClue(op=op, place="message", words=(f"/{op})doesnot", f"/{op}_output")) for op in _ONNX),
        unless=("treeensemble", "zipmap", "seq(map(", "nononnxtype", "ai.onnx.ml"), implies=("graph-types-differ",),
    ),
    Pattern(
        name="exported-constant-cut", category="overflow-nan", op="export", library="onnxconverter_common",
        texts=("the float32 number {...} will be truncated to",), implies=("constant-outside-range",),
        examples=("UserWarning: the float32 number -inf will be truncated to -10000.0",),
    ),
    Pattern(
        name="executorch-type", category="dtype-mismatch", op="method input", library="executorch",
        texts=(
            "input tensor's scalartype does not meet requirement: found {found} but expected {expected}",
            "input tensor's scalartype does not meet requirement: found {n:int} but expected {m:int}",
            "Input {n:int} has unexpected scalar type: expected {expected} but was {found}",
        ),
        implies=("graph-types-differ",),
        examples=("Error: The 0-th input tensor's scalartype does not meet requirement: found Long but expected Float",),
    ),
    Pattern(
        name="exported-types-differ", category="dtype-mismatch", library="executorch",
        texts=("operators are taking Tensor inputs with mismatched dtypes:{...}aten::{op:name}(",),
        implies=("graph-types-differ",),
    ),
    Pattern(
        name="executorch-kernel", category="unsupported-dtype", library="executorch",
        texts=(
            "Unhandled dtype {found} for {op:name}.[out|Tensor_out|Scalar_out|default]",
            "executorch{...}Unsupported scalar type {n:int}",
        ),
        implies=("library-refuses-dtype",),
    ),
)
