"""Dtype and device errors in the own words of compiled extensions, data utilities and other backends."""

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="packed-lengths-on-gpu", category="device-mismatch", op="pack_padded_sequence",
        texts=("`lengths` argument should be a 1D CPU int64 tensor, but got {n:int}D {lengths:device}[| {lengths}]",),
    ),
    Pattern(
        name="pin-gpu-tensor", category="device-mismatch", op="pin_memory",
        texts=(
            "cannot pin {tensor} only dense CPU tensors can be pinned",
            "cannot pin {...} only [dense |]CPU [tensors|memory] can be pinned",
        ),
        examples=("RuntimeError: cannot pin 'CUDAType' only CPU memory can be pinned",),
    ),
    Pattern(
        name="boxes-and-scores-type", category="dtype-mismatch", op="nms", library="torchvision",
        texts=("dets should have the same type as scores",),
    ),
    Pattern(
        name="device-lacks-float64", category="unsupported-dtype", library="intel_extension_for_pytorch",
        texts=(
            "Required aspect fp64 is not supported on the device",
            "Kernel is incompatible with all devices in devs",
            "The GPU device does not support Double (Float64) operations",
            "invalid_kernel(uses-fp64-math)",
        ),
        op_clues=(OpClue(place="calls"), OpClue(op="to", place="words", words=(".to(",))),
        operands=(("inside the kernel", "float64", "xpu"),), implies=("kernel-computes-in-float64",),
    ),
    Pattern(
        name="kernel-falls-through", category="unsupported-dtype", library="an extension",
        texts=("false [and|&&] Unsupported [type|data type|dtype]",), implies=("library-refuses-dtype",),
    ),
    Pattern(
        name="vectorized-conversion", category="dtype-mismatch", op="torch.compile", library="torch.compile",
        texts=("could not convert {...} from Vectorized<{found}> to Vectorized<{expected}>",),
        examples=("error: could not convert 'tmp2' from 'Vectorized<float>' to 'Vectorized<c10::BFloat16>'",),
    ),
    Pattern(
        name="fused-code-mixes-dtypes", category="dtype-mismatch", op="TorchScript fuser", library="torch.jit",
        texts=(
            "operand types are: {a} [=|+|-|*|/|==|+=|*=] {b}",
            "no suitable conversion function from {...}{found} to {expected} exists",
        ),
        unless=(".rs:", ".go:", ".h(", ".cuh(", ".cu("),
        examples=("default_program(58): error: no operator '=' matches these operands operand types are: half = float",),
    ),
    Pattern(
        name="quantized-lacks-op", category="unsupported-dtype",
        texts=("Could not run aten::{op:name} with arguments from the Quantized[CPU|CUDA|CPUTensorId|CUDATensorId] backend",),
        operands=(("input", "quint8", ""),), implies=("quantized-reaches-float-op",),
    ),
    Pattern(
        name="subclass-lacks-op", category="unsupported-dtype", library="torchao",
        texts=(
            ("[QuantizedTensor|Float8Tensor|Int8Tensor|Int4Tensor|NF4Tensor|MXTensor|NVFP4Tensor] dispatch: attempting to "
             "run unimplemented operator/function: {op:name}"),
        ),
        implies=("subclass-lacks-op",),
    ),
    Pattern(
        name="graph-kernel-dtype", category="unsupported-dtype", op="message passing", library="dgl",
        texts=("Check failed: {...}dtype{...}kDLFloat",),
    ),
    Pattern(
        name="cpu-lacks-bf16-path", category="unsupported-dtype",
        texts=("{op:name}: [bf16|fp16] path needs the cpu support avx",), operands=(("input", "bfloat16", "cpu"),),
        implies=("backend-lacks-dtype",),
    ),
    Pattern(
        name="exporter-lacks-dtype", category="unsupported-dtype", op="export",
        texts=(
            "ScalarType {found} is an unexpected tensor scalar type",
            "unsupported ScalarType {found}",
            "data type [bfloat16|float8|torch.]{...} not understood",
        ),
        examples=("RuntimeError: ScalarType BFloat16 is an unexpected tensor scalar type",),
    ),
    Pattern(
        name="image-lacks-dtype", category="unsupported-dtype", op="Image.fromarray", library="PIL",
        texts=("Cannot handle this data type: ({...}), <[f2|f4|f8|i4|i8]",), implies=("library-refuses-dtype",),
        examples=("TypeError: Cannot handle this data type: (1, 1, 3), <f4",),
    ),
    Pattern(
        name="vectorized-lacks-dtype", category="unsupported-dtype", op="torch.compile", library="torch.compile",
        texts=("is not a member of {...}Vectorized<{found}>",), implies=("library-refuses-dtype",),
        examples=("vec_n.h:1:2: error: 'blendv' is not a member of 'at::vec::CPU_CAPABILITY::Vectorized<c10::Float8_e4m3fn>'",),
    ),
)
