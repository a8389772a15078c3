"""What devices other than CUDA's lack: whole ops, and dtypes by the names of their own libraries."""

from __future__ import annotations

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="device-lacks-op",
        category="unsupported-device",
        texts=(
            "The operator {op:name}.{overload:name} is not [current|currently] implemented for the {self:device} device",
            "The operator {op:name} is not [current|currently] implemented for the {self:device} device",
            "The operator {op:name} is not [current|currently] [supported|implemented] [on|for] the {self:device}",
            "{op:name}(): expected key in DispatchKeySet({...}) but got",
            "Could not run 'aten::{op:name}' with arguments from the '[|Sparse|SparseCsr|Quantized|Nested]{self:device}' backend",
            "Could not run 'aten::{op:name}' with arguments from the '[|Sparse|SparseCsr|Quantized|Nested][Vulkan|PrivateUse1|IPU|MTIA|MLU]' backend",
            "Could not run 'aten::{op:name}' with arguments from the '{...}' backend",
            "NotImplementedError: Could not run 'aten::{op:name}",
            "Could not run 'torchvision::{op:name}' with arguments from the '[Vulkan|MPS|XPU|HPU|NPU|PrivateUse1|XLA|IPU|MTIA|MLU]' backend",
            "NotImplementedError: The operator aten::{op:name}",
            "{op:name} not implemented. You are likely triggering this with tensor backend other than",
            "not supported at the {self:device} device",
            "No registered fallback function for aten::{op:name}",
            "No backend can handle '{op:name}': {...}device {self:device} not in",
            "FlexAttention is only supported on {...}Found input tensors on {self:device}",
            "supported devices include {...}, however got {found:device}",
            "The operator {op:name}.{overload:name} is not [current|currently] supported on the {self:device}",
            "Unsupported ops found in compiled model: [[aten::|]{op:name}",
            "HPU does not have device capability",
            "aten::{op:name}: attempted to run this operator with Meta tensors, but there was no fake impl",
            "in a buffer ({...}) that cannot run the operation ({op:name})",
            "{kernel:name}: scalar path not implemented",
            "No supported Ops kernel and engine are found for [{...}], optype [{op:name}]",
        ),
        op_clues=(OpClue(op="conv1d", place="message", words=("outputchannels>",)), OpClue(op="flex_attention", place="message", words=("flexattention",))),
        implies=("device-lacks-op",),
        examples=(
            "RuntimeError: new(): expected key in DispatchKeySet(CPU, CUDA, HIP, XLA) but got: PrivateUse1",
            (
                "NotImplementedError: The operator 'aten::_linalg_solve_ex' is not currently implemented for the MPS "
                "device. If you want this op to be added in priority"
            ),
        ),
    ),
    Pattern(
        name="device-lacks-memory-query",
        category="unsupported-device",
        texts=("doesn't support querying the available free memory",),
        op="mem_get_info",
        implies=("memory-not-told",),
        examples=("RuntimeError: The device (Intel(R) Arc(TM) Graphics) doesn't support querying the available free memory.",),
    ),
    Pattern(
        name="device-lacks-autocast",
        category="unsupported-device",
        texts=(
            "User specified an unsupported autocast device_type {self:device}",
            "User specified an unsupported autocast device_type",
        ),
        op="autocast",
        implies=("autocast-lacks-device",),
        examples=("RuntimeError: User specified an unsupported autocast device_type 'mps'",),
    ),
    Pattern(
        name="gpu-library-lacks-dtype",
        category="unsupported-dtype",
        texts=(
            "Cannot convert ScalarType {found} to [cudaDataType|hipDataType|hipblasDatatype|miopenDataType]",
            "Cannot convert ScalarType {found} to",
            "INTERNAL ASSERT FAILED at {...}[HIPDataType.h|CUDADataType.h]",
            "MIOpen{...}Unsupported data types configuration: {...}",
            "The reduce mode({...}) not support input dtype({found}) & output dtype({output})",
            "[miopen|MIOpen|rocBLAS|hipBLASLt|hipblaslt|oneDNN|MKLDNN|mkldnn|cuDNN] {...}[not support|unsupported] {...}[data type|datatype|dtype|type] {found}",
        ),
        op_clues=(OpClue(op="_scaled_mm", place="words", words=("_scaled_mm", "float8/"), frames=3), OpClue(op="reduce", place="message", words=("reducemode",)), OpClue(place="calls")),
        operands=(("found", "", "cuda"),),
        implies=("hardware-lacks-dtype",),
        examples=(
            (
                'RuntimeError: false INTERNAL ASSERT FAILED at "HIPDataType.h":102, please report a bug to PyTorch. Cannot '
                "convert ScalarType Float8_e4m3fn to hipDataType."
            ),
            "    The reduce mode(PROD) not support input dtype(BOOL) & output dtype(INT64)",
        ),
    ),
    Pattern(
        name="onednn-lacks-dtype",
        category="unsupported-dtype",
        texts=("Double and complex datatype {op:name} is not supported in oneDNN",),
        operands=(("operands", "float64", "xpu"),),
        implies=("backend-lacks-dtype",),
        examples=("RuntimeError: Double and complex datatype matmul is not supported in oneDNN",),
    ),
    Pattern(
        name="cuda-call-on-other-device",
        category="device-mismatch",
        texts=("Expected a cuda device, but got: {found:device}",),
        op="torch.cuda",
        op_clues=(OpClue(op="torch.cuda.set_device", place="function", words=("set_device",), frames=4),),
        operands=(("expected", "", "cuda"),),
        raised_by="torch.cuda._utils._get_device_index('cpu')",
    ),
    Pattern(
        name="scalar-type-unknown",
        category="dtype-mismatch",
        texts=("expected scalar type {expected} but found UNKNOWN_SCALAR",),
        op_clues=(OpClue(place="calls"),),
        examples=("com.facebook.jni.CppException: expected scalar type Float but found UNKNOWN_SCALAR",),
    ),
    Pattern(
        name="npu-types-differ",
        category="dtype-mismatch",
        texts=(
            "{a:name} dtype [DT_|]{lhs} [not equal to|and] {b:name} dtype [DT_|]{rhs}",
        ),
        library="torch_npu",
        examples=("EZ9999: Inner Error: input dtype DT_FLOAT not equal to weight dtype DT_FLOAT16",),
    ),
    Pattern(
        name="cublas-bfloat16",
        category="unsupported-dtype",
        texts=("[CUBLAS|HIPBLAS]_STATUS_NOT_SUPPORTED when calling {...}[CUDA_R_16BF|HIP_R_16BF|HIPBLAS_R_16B]",),
        op="matmul",
        operands=(("operands", "bfloat16", "cuda"),),
        implies=("gpu-lacks-bfloat16",),
        examples=(
            (
                "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling `cublasGemmEx( handle, opa, opb, m, n, "
                "k, &falpha, a, CUDA_R_16BF, lda)`"
            ),
        ),
    ),
    Pattern(
        name="cublas-float8",
        category="unsupported-dtype",
        texts=("[CUBLAS|HIPBLAS]_STATUS_NOT_SUPPORTED when calling {...}[CUDA|HIP]_R_8F",),
        op="_scaled_mm",
        operands=(("operands", "float8_e4m3fn", "cuda"),),
        implies=("gpu-lacks-float8",),
        examples=(
            "RuntimeError: CUDA error: HIPBLAS_STATUS_NOT_SUPPORTED when calling `hipblasLtMatmul( h, A, HIP_R_8F_E4M3`",
        ),
    ),
    Pattern(
        name="cublas-refuses",
        category="unsupported-dtype",
        texts=(
            "[CUBLAS|HIPBLAS|ROCBLAS]_STATUS_NOT_SUPPORTED when calling {...}[CUDA|HIP|HIPBLAS]_R_16F",
            "[CUBLAS|HIPBLAS|ROCBLAS|cublas|hipblas]_STATUS_NOT_[SUPPORTED|IMPLEMENTED]",
            "[CUDA|HIP|CUBLAS|cuBLAS] error{...}the requested functionality is not supported",
            "cuBLAS [API |]failed with status 15",
            "cuBLAS error {...}code=15",
            "Unable to find suitable cuBLAS [grouped |]GEMM algorithm",
            "cublasLt ran into an error",
            "No feasible kernel found for the problem",
        ),
        op="matmul",
        op_clues=(OpClue(op="_scaled_mm", place="words", words=("_scaled_mm",), frames=3), OpClue(place="calls")),
        implies=("blas-lacks-combination",),
        examples=(
            "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling `cublasLtMatmulAlgoGetHeuristic( ltHandle",
            "RuntimeError: CUDA error: HIPBLAS_STATUS_NOT_SUPPORTED when calling `HIPBLAS_STATUS_NOT_SUPPORTED`",
        ),
    ),
    Pattern(
        name="xla-lacks-wide-types",
        category="unsupported-dtype",
        texts=(
            "While rewriting computation to not contain X64 element types, XLA encountered an HLO for which this",
            "Invalid HLO for TPU: {...} types are not supported",
        ),
        library="torch_xla",
        implies=("hardware-lacks-dtype",),
        examples=(
            (
                "RuntimeError: UNIMPLEMENTED: While rewriting computation to not contain X64 element types, XLA "
                "encountered an HLO for which this rewriting is not implemented: %sort.2 = s64[2]{0} sort(s64[2]{0} %add.1)"
            ),
        ),
    ),
    Pattern(
        name="device-lacks-dtype",
        category="unsupported-dtype",
        texts=(
            "[Device|device] does not support {found}[. | |,]",
            "MPS [framework|backend|device] [doesn't|does not] support {found}",
            "[Vulkan|Metal|OpenCL|WebGPU|CUDA] [target|device|backend] does not support {found}",
        ),
        op_clues=(OpClue(place="calls"),),
        op="model load",
        library="an extension",
        implies=("hardware-lacks-dtype",),
        examples=("Device does not support bf16.", "FLUX: the MPS framework doesn't support float64"),
    ),
    Pattern(
        name="cudnn-arch",
        category="unsupported-dtype",
        texts=("CUDNN_STATUS_ARCH_MISMATCH",),
        op="conv2d",
        op_clues=(OpClue(place="calls"),),
        implies=("hardware-lacks-dtype",),
        examples=("RuntimeError: CUDNN_STATUS_ARCH_MISMATCH",),
    ),
)
