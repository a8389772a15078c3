"""Type errors of TensorRT: importing a graph, building an engine for it, feeding it."""

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="onnx-importer", category="unsupported-dtype", library="tensorrt",
        texts=(
            "condition: {...}type == [nvinfer1::|]DataType::k[FLOAT|HALF|INT32|INT8|BF16]",
            "condition: !config.getFlag(BuilderFlag::k{found}",
            "elementwise inputs must not be {found}",
            "Assertion failed: {...}type == ::ONNX_NAMESPACE::TensorProto::",
            "Unsupported ONNX data type: {found}",
        ),
        implies=("graph-dtype-refused",),
        examples=(
            ("ERROR: builtin_op_importers.cpp:628 In function importBatchNormalization:\n[8] Assertion failed: "
             "scale_weights.type == ::ONNX_NAMESPACE::TensorProto::FLOAT"),
        ),
    ),
    Pattern(
        name="engine-input-type", category="dtype-mismatch", op="TensorRT engine", library="tensorrt",
        texts=(
            "unexpected datatype {found} for [inference |][input|output] {...}, expecting {expected}",
            "Assertion {...}DataType({...}) == nvinfer1::DataType::{expected}",
            "Mismatched type for tensor {arg:name}, {found} vs. expected type",
            "IElementWiseLayer with inputs {...}: first input has type {a} but second input has type {b}",
            "first input has type {a} but second input has type {b}",
            "must have identical types. `input` type is {a} and `updates` type is {b}",
            "Expected input tensors to have type {expected}, found type {found}",
            "Input {n:int}'s element type ({a}) differs from input {m:int}'s element type ({b})",
            "Buffer dtype ({found}) does not match expected input dtype ({expected})",
        ),
        op_clues=(OpClue(op="elementwise", place="message", words=("elementwise",)), OpClue(op="scatter", place="message", words=("scatter",))),
        implies=("graph-types-differ",),
    ),
    Pattern(
        name="engine-precision-not-set", category="precision-config", op="TensorRT engine", library="tensorrt",
        texts=(
            "[fp16|bf16|int8|fp8] precision has been set for a layer or layer output, but {...} is not configured in the builder",
            "cannot use precision {found} for",
        ),
        implies=("settings-disagree",),
    ),
    Pattern(
        name="engine-lacks-native-dtype", category="unsupported-dtype", op="TensorRT engine", library="tensorrt",
        texts=(
            "[Half2|Half|FP16|Int8|INT8|FP8] support requested on hardware without native [FP16|INT8|FP8] support",
            "platformHasFast[Int8|Fp16|FP16]()",
        ),
        implies=("hardware-lacks-dtype",),
        examples=("[TRT] [W] UserWarning: Half2 support requested on hardware without native FP16 support",),
    ),
    Pattern(
        name="engine-loses-range", category="overflow-nan", op="TensorRT engine", library="tensorrt",
        texts=(
            "had the following issues when converted to FP16",
            "Detected layernorm nodes in FP16",
            "Detected subnormal FP16 v",
            "weights outside the range of [INT32|FP16] was clamped",
            "Weights are outside of [fp16|FP16] range",
            "encountered issues when converting weights between types",
        ),
        op_clues=(OpClue(op="layer_norm", place="message", words=("layernorm",)),), implies=("half-range-exceeded",),
        examples=(
            "[TRT] [W] Weights [name=Conv_0.weight] had the following issues when converted to FP16:\n- Subnormal FP16",
            "[TRT] [W] Detected layernorm nodes in FP16: /norm/ReduceMean, /norm/Sqrt",
            "WARNING: onnx2trt_utils.cpp:261: One or more weights outside the range of INT32 was clamped",
        ),
    ),
    Pattern(
        name="engine-finds-no-format", category="unsupported-dtype", op="TensorRT engine", library="tensorrt",
        texts=(
            "Assertion !n->candidateRequirements.empty() failed",
            "Unexpected type in resetWeightsTypeIfFP",
            "No non-int8 implementation of layer",
        ),
        implies=("graph-dtype-refused",),
        examples=("[TRT] 2: Assertion !n->candidateRequirements.empty() failed. no supported formats",),
    ),
)
