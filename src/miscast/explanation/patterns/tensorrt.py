"""What TensorRT says of types: importing a graph, building an engine for it, feeding it."""

from __future__ import annotations

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="onnx-importer",
        category="unsupported-dtype",
        texts=(
            "In function import{op:name}: {...}Assertion failed: {...}TensorProto::FLOAT",
            "In function import{op:name}: {...}Assertion failed: {...}Unsupported{...}type",
            "Assertion failed: convertDtype({...}Unsupported ONNX data type: {found}",
            "Unsupported ONNX data type: {found}",
            "Found unsupported datatype ({n:int}) when importing initializer",
            "Could not implicitly convert NumPy data type: {found} to TensorRT",
            "Could not implicitly convert NumPy data type: i64 to TensorRT",
            "condition: {...}type == [nvinfer1::|]DataType::k[FLOAT|HALF|INT32|INT8|BF16]",
            "Assertion failed: convertDtype(",
            "condition: !config.getFlag(BuilderFlag::k{found}",
            "elementwise inputs must not be {found}",
            "[inputs|input|indices|weights] must not be of type {found}",
            "Assertion failed: {...}type == ::ONNX_NAMESPACE::TensorProto::",
            "Your ONNX model has been generated with {found} weights, while TensorRT does not natively support",
        ),
        library="tensorrt",
        implies=("graph-dtype-refused",),
        examples=(
            (
                "ERROR: builtin_op_importers.cpp:628 In function importBatchNormalization:\n[8] Assertion failed: "
                "scale_weights.type == ::ONNX_NAMESPACE::TensorProto::FLOAT"
            ),
            (
                "ERROR: ModelImporter.cpp:532 In function parseGraph: [8] Assertion failed: convertDtype(onnxDtype, "
                '&dtype) && "Unsupported ONNX data type: UINT8 (2)"'
            ),
        ),
    ),
    Pattern(
        name="engine-input-type",
        category="dtype-mismatch",
        texts=(
            "Expected input tensors to have type {expected}, found type {found}",
            "elementwise inputs must have same type. Got {a} and {b}",
            "found user specified input dtype as {found}, however when inspecting the graph, the input type expected was inferred to be {expected}",
            "unexpected datatype {found} for [inference |][input|output] {...}, expecting {expected}",
            "got unexpected datatype {found} from numpy array, expected {expected}",
            "Assertion {...}DataType({...}) == nvinfer1::DataType::{expected}",
            "Buffer dtype ({found}) does not match expected input dtype ({expected})",
            "Mismatched type for tensor {arg:name}, {found} vs. expected type",
            "IElementWiseLayer with inputs {...}: first input has type {a} but second input has type {b}",
            "first input has type {a} but second input has type {b}",
            "[inputs|operands] must have same type{...}[|Got] {a} and {b}",
            "input types are [{a},{b}]",
            "Input {n:int}'s element type ({a}) differs from input {m:int}'s element type ({b})",
            "must have [identical|the same|same] [input |]types. But they are of types {a} and {b}",
            "cannot be used with mismatched data types: {a} and {b}",
            "has incompatible input types {a} and {b}",
            "must have identical types. `input` type is {a} and `updates` type is {b}",
        ),
        op="TensorRT engine",
        op_clues=(OpClue(op="elementwise", place="message", words=("elementwise",)), OpClue(op="scatter", place="message", words=("scatter",))),
        library="tensorrt",
        implies=("graph-types-differ",),
        examples=(
            "RuntimeError: Expected input tensors to have type Half, found type float",
            "[TRT] [E] Error Code 4: Internal Error (Add_12: elementwise inputs must have same type. Got Half and Float)",
            (
                "ITensor::getDimensions: Error Code 4: API Usage Error (IScatterLayer `input` and `updates` must have "
                "identical types. `input` type is Int64 and `updates` type is Int32. In validateTypes)"
            ),
        ),
    ),
    Pattern(
        name="engine-precision-not-set",
        category="precision-config",
        texts=(
            "[fp16|bf16|int8|fp8] precision has been set for a layer or layer output, but {...} is not configured in the builder",
            "kPREFER_PRECISION_CONSTRAINTS cannot be set if kOBEY_PRECISION_CONSTRAINTS is set",
            "cannot use precision {found} for",
        ),
        op="TensorRT engine",
        library="tensorrt",
        implies=("settings-disagree",),
        examples=(
            (
                "[TRT] [E] 4: Error Code 4: Internal Error (fp16 precision has been set for a layer or layer output, but "
                "fp16 is not configured in the builder)"
            ),
        ),
    ),
    Pattern(
        name="engine-lacks-native-dtype",
        category="unsupported-dtype",
        texts=(
            "[Half2|Half|FP16|Int8|INT8|FP8] support requested on hardware without native [FP16|INT8|FP8] support",
            "[platform|Platform|hardware] [doesn't|does not] [support|have] fast native [fp16|int8]",
            "platformHasFast[Int8|Fp16|FP16]()",
            "[fp16|bf16|int8|fp8|fp4|INT4] precision has been set for a layer{...}but platform does not support it",
        ),
        op="TensorRT engine",
        library="tensorrt",
        implies=("hardware-lacks-dtype",),
        examples=("[TRT] [W] UserWarning: Half2 support requested on hardware without native FP16 support",),
    ),
    Pattern(
        name="engine-loses-range",
        category="overflow-nan",
        texts=(
            "had the following issues when converted to FP16",
            "Detected layernorm nodes in FP16",
            "in FP16 may cause overflow",
            "[Subnormal|subnormal] FP16 values detected",
            "Detected subnormal FP16 v",
            "weights outside the range of [INT32|FP16] was clamped",
            "Weights are outside of [fp16|FP16] range",
            "encountered issues when converting weights between types",
            "[finite|Values] [FP32|float32] values which would overflow in FP16",
        ),
        op="TensorRT engine",
        op_clues=(OpClue(op="layer_norm", place="message", words=("layernorm",)),),
        library="tensorrt",
        implies=("half-range-exceeded",),
        examples=(
            "[TRT] [W] Weights [name=Conv_0.weight] had the following issues when converted to FP16:\n- Subnormal FP16",
            "[TRT] [W] Detected layernorm nodes in FP16: /norm/ReduceMean, /norm/Sqrt",
            "WARNING: onnx2trt_utils.cpp:261: One or more weights outside the range of INT32 was clamped",
        ),
    ),
    Pattern(
        name="engine-finds-no-format",
        category="unsupported-dtype",
        texts=(
            "could not find any supported formats consistent with input/output data types",
            "Assertion !n->candidateRequirements.empty() failed",
            "getSupportedFormats: 0 (!formats.empty())",
            "Assertion format.hasValue() failed. format not recognized or not supported",
            "Could not infer output types for operation",
            "Assertion failed: convertOnnxWeights(",
            "No valid weight only groupwise GEMM tactic",
            "Unexpected type in resetWeightsTypeIfFP",
            "No execution plans support the graph",
            "No non-int8 implementation of layer",
        ),
        op="TensorRT engine",
        library="tensorrt",
        implies=("graph-dtype-refused",),
        examples=(
            "[TRT] 2: Assertion !n->candidateRequirements.empty() failed. no supported formats",
            "ERROR: ModelImporter.cpp:92 In function parseGraph - [8] Assertion failed: convertOnnxWeights(initializer, &weights, ctx)",
        ),
    ),
    Pattern(
        name="engine-lacks-attention",
        category="unsupported-dtype",
        texts=("[FP8|FP4|INT8|BF16] [FMHA|MHA|attention] cannot be enabled",),
        op="attention",
        library="tensorrt",
        implies=("hardware-lacks-dtype",),
        examples=("[TensorRT-LLM][ERROR] Assertion failed: FP8 FMHA cannot be enabled on Pre-Hopper Arch.",),
    ),
)
