"""What engines that run an exported model refuse: ONNX Runtime, TensorRT, ExecuTorch."""

from __future__ import annotations

from ..pattern import OpClue, Pattern

_ONNX = ("cast", "add", "mul", "div", "sub", "pow", "conv", "gemm", "matmul", "resize", "concat", "where", "clip", "softmax", "gather", "layernormalization")  # fmt: skip

PATTERNS = (
    Pattern(
        name="onnx-type",
        category="dtype-mismatch",
        texts=(
            "Type parameter (T) of Optype ({op:name}) bound to different types ({a} and {b} in node",
            "Type parameter ({...}) of Optype ({op:name}) bound to different types ({a} and {b}",
            (
                "Type ({found}) of output arg ({...}) of node ({...}) does not match expected type ({expected}"
            ),
            "Type parameter (T) bound to different types ({a} and {b} in node",
            "Unexpected input data type. Actual: (class onnxruntime::PrimitiveDataType<{found}>) , expected: (class onnxruntime::PrimitiveDataType<{expected}>",
            "Unexpected input data type. Actual: (N11onnxruntime",
            "Type {found} of input parameter[s|] of operator ({op:name}) in node",
            "Neuron:{...}Input {arg:name} of {op:name} Op has type {found}[ that|hat] does not match type {expected} of argument {other:name}",
            "has element type {found} but usage of initializer in graph expects {expected}",
            "(op_type:{op:name}, node name: {...}): {arg:name} has inconsistent type tensor({found}",
            "Unexpected input data type. Actual: ({found}) , expected: ({expected})",
            "Tensor element data type discovered: {found} metadata expected: {expected}",
            (
                "Type Error: Type {found} of input parameter ({arg:name}) of operator ({op:name}) in node ({...}) is "
                "invalid"
            ),
        ),
        op_clues=tuple(
            OpClue(op=op, place="message", words=(f"/{op})doesnot", f"/{op}_output")) for op in _ONNX
        ),
        library="onnxruntime",
        implies=("graph-types-differ",),
        examples=(
            (
                "onnxruntime.capi.onnxruntime_pybind11_state.Fail: Type Error: Type parameter (T) of Optype (Add) bound to "
                "different types (tensor(float16) and tensor(float) in node (/Add)."
            ),
            "InvalidArgument: Unexpected input data type. Actual: (tensor(double)) , expected: (tensor(float))",
        ),
    ),
    Pattern(
        name="onnx-importer",
        category="unsupported-dtype",
        texts=(
            "In function import{op:name}: {...}Assertion failed: {...}TensorProto::FLOAT",
            "In function import{op:name}: {...}Assertion failed: {...}Unsupported{...}type",
            "Assertion failed: convertDtype({...}Unsupported ONNX data type: {found}",
            "Unsupported ONNX data type: {found}",
            "Could not implicitly convert NumPy data type: {found} to TensorRT",
            "Could not implicitly convert NumPy data type: i64 to TensorRT",
            "condition: {...}type == [nvinfer1::|]DataType::k[FLOAT|HALF|INT32|INT8|BF16]",
            "Assertion failed: convertDtype(",
            "condition: !config.getFlag(BuilderFlag::k{found}",
            "elementwise inputs must not be {found}",
            "[inputs|input|indices|weights] must not be of type {found}",
            "Assertion failed: {...}type == ::ONNX_NAMESPACE::TensorProto::",
            "could not find any supported formats consistent with input/output data types",
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
        name="exported-constant-cut",
        category="overflow-nan",
        texts=("the float32 number {...} will be truncated to",),
        op="export",
        library="onnxconverter_common",
        implies=("constant-outside-range",),
        examples=("UserWarning: the float32 number -inf will be truncated to -10000.0",),
    ),
    Pattern(
        name="executorch-type",
        category="dtype-mismatch",
        texts=(
            "input tensor's scalartype does not meet requirement: found {found} but expected {expected}",
            "input tensor's scalartype does not meet requirement: found {n:int} but expected {m:int}",
            "Input {n:int} has unexpected scalar type: expected {expected} but was {found}",
            "Expected to find {expected}, but tensor has type {found}",
            "do not match[:|;] dtype= {a}, {b}",
            "Check failed ([tensors_have_same_dtype|tensor_is_{...}_type|canCast]",
            "Tensor of type {found} cannot return data as {expected} array",
        ),
        op="method input",
        library="executorch",
        implies=("graph-types-differ",),
        examples=(
            "Error: The 0-th input tensor's scalartype does not meet requirement: found Long but expected Float",
            "E executorch:tensor_util.h:123] Error: Expected to find Float type, but tensor has type Long",
        ),
    ),
    Pattern(
        name="exported-types-differ",
        category="dtype-mismatch",
        texts=(
            "operators are taking Tensor inputs with mismatched dtypes:{...}aten::{op:name}(",
            "operators are taking Tensor inputs with mismatched dtypes",
        ),
        library="executorch",
        implies=("graph-types-differ",),
        examples=(
            (
                "SpecViolationError: These operators are taking Tensor inputs with mismatched dtypes: {<EdgeOpOverload: "
                "aten.cat.default>: schema = aten::cat(Tensor[] tensors, int dim=0) -> Tensor: {'tensors': torch.int32}}"
            ),
        ),
    ),
    Pattern(
        name="executorch-kernel",
        category="unsupported-dtype",
        texts=(
            "Unhandled dtype {found} for {op:name}.[out|Tensor_out|Scalar_out|default]",
            "Unhandled dtype {found} for",
            "executorch{...}Unsupported scalar type {n:int}",
        ),
        library="executorch",
        implies=("library-refuses-dtype",),
        examples=(
            "[op_native_layer_norm.cpp:169] assert failed (false): Unhandled dtype Half for native_layer_norm.out",
        ),
    ),
    Pattern(
        name="stored-dtype-unknown",
        category="unsupported-dtype",
        texts=(
            "[SafetensorError|Error]: {...}Dtype not understood: {found}",
            "Dtype not understood: {found}",
            "Error: '{found}' is not a valid DType",
            "Error: '[F8_|F4|F6_]{...}' is not a valid DType",
        ),
        op="load_file",
        library="safetensors",
        implies=("version-lacks-dtype",),
        examples=("safetensors_rust.SafetensorError: Dtype not understood: F8_E4M3",),
    ),
    Pattern(
        name="bitsandbytes-dtype",
        category="unsupported-dtype",
        texts=(
            "Blockwise [4bit |][|de]quantization only supports 16/32-bit floats, but got {input}",
            "Gradient+optimizer bit data type combination not supported: grad {gradient}, optimizer {state}",
        ),
        op="quantize_blockwise",
        library="bitsandbytes",
        examples=("ValueError: Blockwise quantization only supports 16/32-bit floats, but got torch.uint8",),
    ),
)
