"""Features that devices other than CUDA lack: whole ops, and dtypes by their own libraries' names."""

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="device-lacks-op", category="unsupported-device",
        texts=(
            "The operator {op:name}.{overload:name} is not [current|currently] implemented for the {self:device} device",
            "The operator {op:name} is not [current|currently] implemented for the {self:device} device",
            "The operator {op:name} is not [current|currently] [supported|implemented] [on|for] the {self:device}",
            "{op:name}(): expected key in DispatchKeySet({...}) but got",
            "Could not run 'aten::{op:name}' with arguments from the '[|Sparse|SparseCsr|Quantized|Nested][Vulkan|PrivateUse1|IPU|MTIA|MLU]' backend",
            "Could not run 'aten::{op:name}' with arguments from the '{...}' backend",
            "{op:name} not implemented. You are likely triggering this with tensor backend other than",
            "not supported at the {self:device} device",
            "FlexAttention is only supported on {...}Found input tensors on {self:device}",
            "supported devices include {...}, however got {found:device}",
        ),
        implies=("device-lacks-op",),
    ),
    Pattern(
        name="gpu-library-lacks-dtype", category="unsupported-dtype",
        texts=(
            "Cannot convert ScalarType {found} to [cudaDataType|hipDataType|hipblasDatatype|miopenDataType]",
            "The reduce mode({...}) not support input dtype({found}) & output dtype({output})",
            "[miopen|MIOpen|rocBLAS|hipBLASLt|hipblaslt|oneDNN|MKLDNN|mkldnn|cuDNN] {...}[not support|unsupported] {...}[data type|datatype|dtype|type] {found}",
        ),
        op_clues=(OpClue(op="reduce", place="message", words=("reducemode",)),), operands=(("found", "", "cuda"),),
        implies=("hardware-lacks-dtype",),
    ),
    Pattern(
        name="cuda-call-on-other-device", category="device-mismatch", op="torch.cuda",
        texts=("Expected a cuda device, but got: {found:device}",), operands=(("expected", "", "cuda"),),
        raised_by="torch.cuda._utils._get_device_index('cpu')",
    ),
    Pattern(
        name="scalar-type-unknown", category="dtype-mismatch",
        texts=("expected scalar type {expected} but found UNKNOWN_SCALAR",),
    ),
    Pattern(
        name="cublas-refuses", category="unsupported-dtype", op="matmul",
        texts=("[CUBLAS|HIPBLAS|ROCBLAS|cublas|hipblas]_STATUS_NOT_[SUPPORTED|IMPLEMENTED]",),
        op_clues=(OpClue(place="calls"),), implies=("blas-lacks-combination",),
    ),
    Pattern(
        name="xla-lacks-wide-types", category="unsupported-dtype", library="torch_xla",
        texts=(
            "While rewriting computation to not contain X64 element types, XLA encountered an HLO for which this",
            "Invalid HLO for TPU: {...} types are not supported",
        ),
        implies=("hardware-lacks-dtype",),
        examples=(
            ("RuntimeError: UNIMPLEMENTED: While rewriting computation to not contain X64 element types, XLA "
             "encountered an HLO for which this rewriting is not implemented: %sort.2 = s64[2]{0} sort(s64[2]{0} %add.1)"),
        ),
    ),
    Pattern(
        name="cudnn-arch", category="unsupported-dtype", op="conv2d", texts=("CUDNN_STATUS_ARCH_MISMATCH",),
        op_clues=(OpClue(place="calls"),), implies=("hardware-lacks-dtype",),
        examples=("RuntimeError: CUDNN_STATUS_ARCH_MISMATCH",),
    ),
)
