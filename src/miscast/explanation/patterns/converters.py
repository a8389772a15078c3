"""Type errors of converters and engines of exported graphs. OpenVINO, Core ML, TVM, ONNX Runtime, QNN, ggml."""

from ..pattern import Pattern

PATTERNS = (
    Pattern(
        name="openvino-type", category="dtype-mismatch", library="openvino",
        texts=(
            "Failed to set {...}with precision: {found}, [if|since] {...}precision is: {expected}",
            "do not have the same element type{...}element type: {a}, {...}element type: {b}",
            "Argument element types are inconsistent",
            "Check 'element::Type::merge({...}failed",
            "Tensor element types are not equal. (src: {a} != dst: {b}",
            "Tensor data with element type {found}, is not representable as pointer to {expected}",
        ),
        implies=("graph-types-differ",),
    ),
    Pattern(
        name="openvino-lacks-type", category="unsupported-dtype", library="openvino",
        texts=("unsupported [src_prc|dst_prc|prc]: {found}",), implies=("graph-dtype-refused",),
    ),
    Pattern(
        name="coreml-type", category="dtype-mismatch", library="coremltools",
        texts=(
            ("the named input `{arg:name}` must have the same data type as the named input `{other:name}`. However, "
             "{...} has dtype {found} whereas {...} has dtype {expected}"),
            'Input {arg:name}="{...}" expects {...} from type domain {...}but got {found}',
            'Input {arg:name}="{...}" expects {...} from type domain [{...}] but got',
            'Input {arg:name}="{...}" expects [integer|bool|float|fp16|fp32|int32]{...}but got {found}',
            "expects [float|integer|int|bool] tensor or scalar but got {found}",
            "but actually receive a tensor of type",
        ),
        implies=("graph-types-differ",),
    ),
    Pattern(
        name="tvm-type", category="dtype-mismatch", library="tvm", differ=True,
        texts=(
            "data types {a} and {b} do not match in {op:name}",
            "Check failed: {...}dtype{...} == {...}dtype{...} ({a} vs. {b})",
            "Check failed: {...}data_type{...} == {...}dtype{...} ({a} vs. {b})",
            "dtype() == {...}dtype()) is false: mismatched types. {a} vs. {b}",
            "Cannot match type {a} vs {b}",
            "Data types {a} and {b} must be [equal|the same]",
            "Attempted to access buffer {...} as element type {a}{...}when the element type is {b}",
            "In particular Tensor[({...}), {a}] does not match Tensor[({...}), {b}]",
        ),
        implies=("graph-types-differ",),
    ),
    Pattern(
        name="coreml-cast-type", category="unsupported-dtype", library="coremltools",
        texts=("Parameter dtype of the {op:name} operation can be one of the [{...}]. Provided {found}",),
        implies=("graph-dtype-refused",),
    ),
    Pattern(
        name="tvm-op-type", category="unsupported-dtype", library="tvm",
        texts=(
            "Op(relax.{op:name}) requires {...}dtype. However, {...}dtype is {found}",
            "dtype().is_[bool|float|int|uint|float16|bfloat16]()) is false: {op:name} only applies to",
            "dtype().is_[bool|float|int|uint|float16|bfloat16]()) is false:{...}of type {found}",
        ),
        implies=("graph-dtype-refused",),
    ),
    Pattern(
        name="constant-past-dtype", category="overflow-nan", library="tvm",
        texts=("Check failed: value [<=|>=] support::kMax{found}",), implies=("value-past-dtype",),
    ),
    Pattern(
        name="onnx-no-kernel", category="unsupported-dtype", library="onnxruntime",
        texts=("NOT_IMPLEMENTED : Could not find an implementation for [the node |]{op:name}({n:int})",),
        implies=("graph-dtype-refused",),
    ),
    Pattern(
        name="qnn-op-refused", category="unsupported-dtype", library="executorch",
        texts=("could not create op: q::{op:name}.{found}.", "Could not find ShaderInfo with name {op:name}"),
        implies=("graph-dtype-refused",),
        examples=("[Qnn ExecuTorch]: graph_prepare.cc:224::ERROR:could not create op: q::reduce_sum.fp16.tcm.crouton",),
    ),
    Pattern(
        name="device-lacks-16-bit", category="unsupported-dtype", op="model load", library="ggml",
        texts=("device {...} does not support 16-bit storage",), operands=(("weights", "float16", ""),),
        implies=("hardware-lacks-dtype",),
    ),
    Pattern(
        name="openvino-precision", category="unsupported-dtype", library="openvino",
        texts=(
            "[VPU|NPU|VPUX|GNA|ov::Exception|InferenceEngine]{...}[Unsupported|Unknown] precision {found}",
            "[VPU|NPU|VPUX|GNA|ov::Exception|ZE_RESULT_ERROR]{...}Unsupported precision",
            "OpenVINO{...}[Unsupported|Unknown] precision {found}",
            "Check '{...}element_type.is_[real|integral|integral_number|signed]()' failed {...}Current type is: {found}",
            "Check '{...}element_type.is_[real|integral|integral_number|signed]()' failed",
            "Arguments cannot have {found} element type",
        ),
        implies=("graph-dtype-refused",),
    ),
    Pattern(
        name="tensor-type-asserted", category="unsupported-dtype", library="ggml",
        texts=(
            "GGML_ASSERT({...}== GGML_TYPE_{expected}",
            "Missing {op:name} op for types: {found} {to}",
            "[GGML_ABORT|fatal error|GGML_ASSERT]{...}unsupported [type|data type]{...}{found}",
            "tensors with type {found} is not [yet |]supported",
        ),
        implies=("graph-dtype-refused",),
    ),
)
