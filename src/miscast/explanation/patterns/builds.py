"""What a build lacks: a device that it was made without, an op that the device has not, a GPU's generation."""

from __future__ import annotations

from ..pattern import OpClue, Pattern

MOVES = (
    OpClue(op="nms", place="message", words=("nms",)),
    OpClue(op="roi_align", place="message", words=("roi_align", "roialign")),
    OpClue(op="deform_conv", place="message", words=("deform_conv", "deformconv", "modulateddeform")),
    OpClue(op="ms_deform_attn", place="message", words=("deform_attn", "msdeform", "ms_deform")),
    OpClue(op="torch.load", place="message", words=("deserialize",)),
    OpClue(op="torch.load", place="file", words=("serialization.py",), frames=3),
    OpClue(op="memory_efficient_attention", place="message", words=("xformers",)),
    OpClue(op=".to(device)", place="words", words=(").cuda(", ".cuda()", ").to("), frames=6),
    OpClue(place="calls"),
)
"""What tells the op that met a device which is not there."""
ELSEWHERE = (
    "opencv", "jax", "paddle", "mxnet", "julia", "dlib", "faiss", "cupy", "xgboost", "lightgbm", "ffmpeg", "tensorflow",
    "darknet", "caffe", "numba", "libav", "nvenc", "blender", "gromacs", "hashcat", "cudf", "rapids", "taichi",
)  # fmt: skip
"""Who lacks devices in the same words."""

PATTERNS = (
    Pattern(
        name="build-lacks-device",
        category="unsupported-device",
        texts=(
            "Torch not compiled with {found:device}",
            "PyTorch is not linked with support for {found:device}",
            "PyTorch [was|is] not [built|compiled] with {found:device}",
            "[PyTorch|Torch|torch] [was|is|has been] [built|compiled] without {found:device}",
            "Cannot access accelerator device when none is available",
            "Cannot initialize CUDA without ATen_cuda library",
            "Tried to instantiate dummy base class",
            "module 'torch._C' has no attribute '[_cuda_|_xpu_|_npu_|_CudaDevice]",
            "module 'torch' has no attribute '[xpu|npu|hpu|musa|mlu|mps]'",
            "module 'torch.backends' has no attribute 'mps'",
        ),
        op_clues=MOVES,
        op=".to(device)",
        implies=("build-without-device",),
        examples=(
            "AssertionError: Torch not compiled with CUDA enabled",
            "RuntimeError: PyTorch is not linked with support for mps devices",
            "AttributeError: module 'torch._C' has no attribute '_cuda_setDevice'",
        ),
    ),
    Pattern(
        name="device-name-unknown",
        category="unsupported-device",
        texts=(
            "device type at start of device string[: {found:device}|]",
            "[Invalid|invalid] device string[: {found:device}|]",
            "don't know how to restore data location of {...}tagged with {found:device}",
            "don't know how to restore data location of",
        ),
        op_clues=(
            OpClue(op="torch.load", place="message", words=("restoredatalocation",)),
            OpClue(op="torch.load", place="file", words=("serialization.py",), frames=3),
            OpClue(place="calls"),
        ),
        op="torch.device",
        implies=("device-unknown-to-torch",),
        examples=("RuntimeError: Expected one of cpu, cuda, xla, meta device type at start of device string: mps",),
    ),
    Pattern(
        name="op-lacks-device",
        category="unsupported-device",
        texts=(
            "Could not run aten::{op:name} with arguments from the [CUDA|HIP|CPU][TensorId|] backend",
        ),
        implies=("build-without-device", "device-lacks-op"),
        examples=(
            (
                "NotImplementedError: Could not run 'aten::empty.memory_format' with arguments from the 'CUDA' backend. This "
                "could be because the operator doesn't exist for this backend, or was omitted during the selective build"
            ),
        ),
    ),
    Pattern(
        name="extension-lacks-device",
        category="unsupported-device",
        texts=(
            "[not|n't] compiled with [GPU|CUDA|ROCm|MPS|XPU] support",
            "[not|n't] compiled with [GPU|CUDA]",
            "compiled without [GPU|CUDA|ROCm] support",
            "[wasn't|was not|isn't] [build|built] with [CUDA|ROCm|GPU] support",
            "xFormers can't load C++/CUDA extensions",
            "CUDA extension not installed",
            "{op:name}: implementation for device {found:device} not found",
            "Could not run {op:name} with arguments from the [CUDA|HIP|CUDATensorId|HIPTensorId] backend",
        ),
        library="",
        faint=True,
        op_clues=MOVES,
        op="an extension's op",
        unless=(*ELSEWHERE, "couldnotrunaten::", "couldnotrunquantized::"),
        part_of=("no operator found for",),
        implies=("extension-without-device",),
        examples=(
            "RuntimeError: nms is not compiled with GPU support (nms at mmdet/ops/nms/src/nms_ext.cpp:23)",
            "RuntimeError: nms_impl: implementation for device cuda:0 not found.",
            "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend.",
            "WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built for:",
        ),
    ),
    Pattern(
        name="xformers-built-without-gpu",
        category="unsupported-device",
        texts=("No operator found for memory_efficient_attention{...}xFormers wasn't [build|built] with CUDA support",),
        op="memory_efficient_attention",
        library="xformers",
        implies=("extension-without-device",),
        examples=(
            (
                "NotImplementedError: No operator found for `memory_efficient_attention_forward` with inputs:\n query : "
                "shape=(2, 2, 8, 64) (torch.float16)\n`flshattF` is not supported because:\n xFormers wasn't build with CUDA "
                "support"
            ),
        ),
    ),
    Pattern(
        name="xformers-needs-newer-gpu",
        category="unsupported-device",
        texts=("requires device with capability {...} but your GPU has capability",),
        op="memory_efficient_attention",
        library="xformers",
        part_of=("bf16 is only supported", "wasn't build with cuda", "wasn't built with cuda"),
        implies=("attention-on-old-gpu",),
        examples=("requires device with capability > (8, 0) but your GPU has capability (7, 5) (too old)",),
    ),
    Pattern(
        name="bitsandbytes-without-gpu",
        category="unsupported-device",
        texts=(
            "CUDA Setup failed despite [GPU|CUDA]",
            "CUDA SETUP: [CUDA|Required|Something|Problem|Setup|WARNING]{...}[not found|failed|unexpected|could not]",
            "libbitsandbytes_cpu.so: undefined symbol",
            "bitsandbytes {...}compiled without GPU support",
            "Attempted to use bitsandbytes native library functionality but it's not available",
            "[Could not find|Configured] [the bitsandbytes |]CUDA binary",
            "None of the available devices {...} are supported by the bitsandbytes version",
            "bitsandbytes {...}[requires|needs] {...}[CUDA|GPU]",
            "'NoneType' object has no attribute 'c[adam|quantize|dequantize|gemm|igemm|int8|get_|lion|lamb|percentile]",
            "[str2optimizer8bit_blockwise|str2optimizer32bit|str2optimizer8bit] is not defined",
            "[CUDA|A GPU] is required but not available for bitsandbytes",
        ),
        op="bitsandbytes",
        library="bitsandbytes",
        implies=("bitsandbytes-on-cpu",),
        examples=(
            "RuntimeError: CUDA Setup failed despite GPU being available. Inspect the CUDA SETUP outputs above",
            "AttributeError: 'NoneType' object has no attribute 'cquantize_blockwise_fp16_nf4'",
        ),
    ),
    Pattern(
        name="op-needs-gpu",
        category="unsupported-device",
        texts=(
            "Not implemented on [|the ]CPU",
            "[CPU|cpu] [version|implementation|kernel|forward|mode] [is |]not [implemented|supported|available]",
            "[has|have] no CPU [implementation|kernel|version]",
            "[only|currently only] implemented [for|on] [CUDA|GPU|GPUs|the GPU]",
        ),
        library="",
        faint=True,
        op_clues=MOVES,
        op="an extension's op",
        unless=ELSEWHERE,
        implies=("op-only-on-gpu",),
        examples=("RuntimeError: Not implemented on the CPU",),
    ),
    Pattern(
        name="attention-needs-newer-gpu",
        category="unsupported-device",
        texts=(
            "Flash[| ]Attention[|2|3| 2| 3|-2|-3] only [supports|support] [Turing|Ampere|Ada|Hopper|Blackwell|sm]",
            "Flash[| ]Attention [forward|backward] {...}requires [A100|H100|Ampere|Hopper]",
            "[SageAttention|sageattn] [requires|only supports|needs] [sm|compute capability|Ampere|Ada|Hopper]",
        ),
        op="flash_attn",
        implies=("attention-on-old-gpu",),
        examples=(
            "RuntimeError: FlashAttention only supports Ampere GPUs or newer.",
            "RuntimeError: FlashAttention-3 only supports Hopper GPUs or newer.",
        ),
    ),
    Pattern(
        name="gpu-not-in-build",
        category="unsupported-device",
        texts=(
            "no kernel image is available[ for execution on the device|]",
            "[CUDA|HIP|ROCm|cuda runtime] error[:| (8) :| (98) :| (48) :] invalid device function",
            "[invalid|Invalid] device function",
            "[hip|cuda]Error[InvalidDeviceFunction|NoKernelImageForDevice|NoBinaryForGpu]",
            "device kernel image is invalid",
            "Unable to find code object for all current devices",
            "[Illegal seek|No such file or directory|Cannot read {...}] for GPU arch",
            "HSA_STATUS_ERROR_INVALID_ISA",
            "PyTorch no longer supports this GPU because it is too old",
            "[ggml|ggml-cuda] was [compiled without|not compiled with] support for",
            "has no device code compatible with CUDA arch",
            "CUDA [capability|capabilities] {...} is not compatible with the current PyTorch installation",
            "sm_{n:int} is not compatible with the current PyTorch installation",
            "gpu arch {...} isn't compiled in",
        ),
        library="",
        faint=True,
        op_clues=MOVES,
        op="a CUDA kernel",
        unless=ELSEWHERE,
        implies=("gpu-newer-or-older",),
        examples=(
            "RuntimeError: CUDA error: no kernel image is available for execution on the device",
            "RuntimeError: HIP error: invalid device function",
            "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!",
        ),
    ),
    Pattern(
        name="gpu-too-old-or-new",
        category="unsupported-device",
        texts=(
            "GPUs with compute capability {...} are not supported",
            "Unknown CUDA arch",
            "Unsupported gpu architecture[ 'compute_| sm_|: sm|: gfx| gfx|]",
            "[Unsupported|Unknown|Unrecognized|Invalid] [GPU|CUDA|SM|AMDGPU|HIP] [arch|architecture|version]",
            "Assertion failed: Unsupported [arch|SM|GPU]",
            "One of GPU archs of",
            "Target GPU SM {n:int} is not supported",
            "which is too old to be supported by the triton GPU compiler",
            "GPUTooOldForTriton: ",
            "only supports [architecture|devices|GPUs] with {...}[mp version|compute capability]",
            "[FA2|FA3|FA4|FlashAttention] is only supported on devices with compute capability",
            "compute capability {...}is [too low|not supported]",
        ),
        library="",
        op_clues=(OpClue(op="flash_attn", place="message", words=("flashattention", "fa3is", "fa2is")), *MOVES),
        op="a CUDA kernel",
        unless=(*ELSEWHERE, "fallingbacktocutlass"),
        implies=("gpu-generation-not-supported",),
        examples=(
            "RuntimeError: GPUs with compute capability below 7.0 are not supported.",
            "nvcc fatal   : Unsupported gpu architecture 'compute_120'",
        ),
    ),
    Pattern(
        name="engine-of-another-gpu",
        category="unsupported-device",
        texts=("engine plan file is [|generated on ]an incompatible device", "engine plan file is not compatible with this"),
        op="TensorRT engine",
        library="tensorrt",
        implies=("engine-built-elsewhere",),
        examples=(
            "[TRT] [E] 6: The engine plan file is generated on an incompatible device, expecting compute 7.5 got compute 8.6",
        ),
    ),
    Pattern(
        name="newer-gpu-said-needed",
        category="unsupported-device",
        texts=(
            "[requires|require|required|needs|need|only supports|only support|only supported on|only works on|only works with|only runs on|only available on|available only on|only for|supported only on|requires at least|needs at least] {.}{gpu}",
            "{gpu} {.}[required|needed|unsupported|not supported|not yet supported|not currently supported]",
            "[unsupported|not support|not supported on|not available on|not run on] {.}{gpu}",
            "[GPU|GPUs|device|card] {.}[too old|not new enough|older than]",
        ),
        library="",
        spoken=True,
        faint=True,
        op_clues=MOVES,
        op="a CUDA kernel",
        unless=ELSEWHERE,
        implies=("gpu-generation-not-supported",),
        examples=("AssertionError: DeepGEMM requires Hopper GPUs",),
    ),
)
