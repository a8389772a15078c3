"""Missing features of a build: a device, an op that the device lacks, a GPU's generation."""

from ..pattern import OpClue, Pattern

MOVES = (
    OpClue(op="nms", place="message", words=("nms",)),
    OpClue(op="roi_align", place="message", words=("roi_align", "roialign")),
    OpClue(op="deform_conv", place="message", words=("deform_conv", "deformconv", "modulateddeform")),
    OpClue(op="torch.load", place="message", words=("deserialize",)),
    OpClue(op="memory_efficient_attention", place="message", words=("xformers",)),
    OpClue(op="init_process_group", place="words", words=("init_process_group",), frames=6),
    OpClue(op="pin_memory", place="words", words=("pin_memory(",)),
    OpClue(op="torch.Generator", place="words", words=("torch.generator(",)),
    OpClue(op=".to(device)", place="words", words=(").cuda(", ".cuda()", ").to("), frames=6),
    OpClue(place="calls"),
)
"""Clues to the op that requested a missing device."""
ELSEWHERE = (
    "opencv", "jax", "paddle", "mxnet", "julia", "dlib", "faiss", "cupy", "xgboost", "lightgbm", "ffmpeg", "tensorflow",
    "darknet", "caffe", "numba", "libav", "nvenc", "blender", "gromacs", "hashcat", "cudf", "rapids", "taichi",
)  # fmt: skip
"""Other projects with the same messages."""

PATTERNS = (
    Pattern(
        name="build-lacks-device", category="unsupported-device", op=".to(device)",
        texts=(
            "Torch not compiled with {found:device}",
            "PyTorch is not linked with support for {found:device}",
            "PyTorch [was|is] not [built|compiled] with {found:device}",
            "[PyTorch|Torch|torch] [was|is|has been] [built|compiled] without {found:device}",
            "Cannot access accelerator device when none is available",
            "Cannot [initialize CUDA|get CUDA generator] without ATen_cuda library",
            "Distributed package doesn't have [NCCL|XCCL|HCCL] built in",
            "Tried to instantiate dummy base class",
            "module 'torch._C' has no attribute '[_cuda_|_xpu_|_npu_|_CudaDevice]",
        ),
        op_clues=MOVES, implies=("build-without-device",),
        examples=("AttributeError: module 'torch._C' has no attribute '_cuda_setDevice'",),
    ),
    Pattern(
        name="device-name-unknown", category="unsupported-device", op="torch.device",
        texts=(
            "device type at start of device string[: {found:device}|]",
            "[Invalid|invalid] device string[: {found:device}|]",
            "Storage device not recognized: {found:device}",
            "[SafetensorError|Exception]: device {found:device} is invalid",
            "don't know how to restore data location of {...}tagged with {found:device}",
            "don't know how to restore data location of",
        ),
        op_clues=(
            OpClue(op="torch.load", place="message", words=("restoredatalocation",)),
            OpClue(op="safe_open", place="message", words=("safetensorerror",)),
            OpClue(op="autocast", place="words", words=("autocast",), frames=4),
        ),
        implies=("device-unknown-to-torch",),
    ),
    Pattern(
        name="extension-lacks-device", category="unsupported-device", op="an extension's op", library="", faint=True,
        texts=(
            "[not|n't] compiled with [GPU|CUDA|ROCm|MPS|XPU] support",
            "[not|n't] compiled with [GPU|CUDA]",
            "compiled without [GPU|CUDA|ROCm] support",
            "[wasn't|was not|isn't] [build|built] with [CUDA|ROCm|GPU] support",
            "xFormers can't load C++/CUDA extensions",
            "{op:name}: implementation for device {found:device} not found",
            "Could not run {op:name} with arguments from the [CUDA|HIP|CUDATensorId|HIPTensorId] backend",
        ),
        op_clues=MOVES, unless=(*ELSEWHERE, "couldnotrunaten::", "couldnotrunquantized::"),
        part_of=("is not supported because",), implies=("extension-without-device",),
        examples=("RuntimeError: nms_impl: implementation for device cuda:0 not found.",),
    ),
    Pattern(
        name="xformers-built-without-gpu", category="unsupported-device", op="memory_efficient_attention",
        library="xformers",
        texts=("No operator found for memory_efficient_attention{...}xFormers wasn't [build|built] with CUDA support",),
        implies=("extension-without-device",),
    ),
    Pattern(
        name="xformers-needs-older-gpu", category="unsupported-device", op="memory_efficient_attention",
        library="xformers",
        texts=("requires device with capability {...} but your GPU has capability {...} (too new)",),
        part_of=("attn_bias.stride(",), implies=("attention-on-new-gpu",),
    ),
    Pattern(
        name="bitsandbytes-without-gpu", category="unsupported-device", op="bitsandbytes", library="bitsandbytes",
        texts=(
            "CUDA Setup failed despite [GPU|CUDA]",
            "libbitsandbytes_cpu.so: undefined symbol",
            "bitsandbytes {...}compiled without GPU support",
            "[Could not find|Configured] [the bitsandbytes |][CUDA|ROCm] binary",
            "assert quant_state is not None{...}AssertionError",
            "'NoneType' object has no attribute 'c[adam|quantize|dequantize|gemm|igemm|int8|get_|lion|lamb|percentile]",
        ),
        implies=("bitsandbytes-on-cpu",),
        examples=("AttributeError: 'NoneType' object has no attribute 'cquantize_blockwise_fp16_nf4'",),
    ),
    Pattern(
        name="attention-needs-newer-gpu", category="unsupported-device", op="flash_attn",
        texts=(
            "Flash[| ]Attention[|2|3| 2| 3|-2|-3] only [supports|support] [Turing|Ampere|Ada|Hopper|Blackwell|sm]",
            "GPU with CUDA capability {...} is not supported[ for Flash Attention|]",
            "assert is_fa_version_supported({...}AssertionError",
        ),
        implies=("attention-on-old-gpu",),
    ),
    Pattern(
        name="gpu-not-in-build", category="unsupported-device", op="a CUDA kernel", library="", faint=True,
        texts=(
            "no kernel image is available[ for execution on the device|]",
            "Attempting to use hipBLASLt on [a|an] unsupported architecture",
            "[CUDA|HIP|ROCm|cuda runtime] error[:| (8) :| (98) :| (48) :] invalid device function",
            "Unable to find code object for all current devices", "Cannot read {...}TensileLibrary",
            "The following list shows the CCs this version of PyTorch was built for",
            "not found in visible GPUs that are supported by", "has no device code compatible with CUDA arch",
            "CUDA [capability|capabilities] {...} is not compatible with the current PyTorch installation",
            "sm_{n:int} is not compatible with the current PyTorch installation",
            "is not [currently |]supported on your [device|GPU|hardware]",
        ),
        op_clues=(OpClue(place="line"), *MOVES), unless=ELSEWHERE, implies=("gpu-newer-or-older",),
        examples=("hipErrorNoBinaryForGpu: Unable to find code object for all current devices!",),
    ),
    Pattern(
        name="gpu-too-old-or-new", category="unsupported-device", op="a CUDA kernel", library="",
        texts=(
            "GPUs with compute capability {...} are not supported", "Unknown CUDA arch",
            "Unsupported gpu architecture[ 'compute_| sm_|: sm|: gfx| gfx|]",
            "[Unsupported|Unknown|Unrecognized|Invalid] [GPU|CUDA|SM|AMDGPU|HIP] [arch|architecture|version]",
            "Assertion failed: Unsupported [arch|SM|GPU]", "One of GPU archs of",
            "which is too old to be supported by the triton GPU compiler",
            "only supports [architecture|devices|GPUs] with {...}[mp version|compute capability]",
            "[FA2|FA3|FA4|FlashAttention] is only supported on devices with compute capability",
            "compute capability {...}is [too low|not supported]",
            "Compute capability < {...} detected! Only slow 8-bit matmul is supported",
            "PTX .version {...} does not support .target sm_",
            "Value 'sm_{n:int}{...}' is not defined for option 'gpu-name'",
            "'sm_{n:int}' is not a recognized processor for this target", "Feature {...} requires .target sm_",
        ),
        op_clues=(OpClue(op="flash_attn", place="message", words=("flashattention", "flash-attention", "fa3is", "fa2is")), *MOVES),
        unless=(*ELSEWHERE, "fallingbacktocutlass"), implies=("gpu-generation-not-supported",),
        examples=("RuntimeError: GPUs with compute capability below 7.0 are not supported.",),
    ),
    Pattern(
        name="newer-gpu-said-needed", category="unsupported-device", op="a CUDA kernel", library="", faint=True,
        spoken=True,
        texts=(
            "[requires|require|required|needs|need|only supports|only support|only supported on|only works on|only works with|only runs on|only available on|available only on|only for|supported only on|requires at least|needs at least] {.}{gpu}",
            "{gpu} {.}[required|needed|unsupported|not supported|not yet supported|not currently supported]",
            "[unsupported|not support|not supported on|not available on|not run on] {.}{gpu}",
        ),
        op_clues=MOVES, unless=(*ELSEWHERE, "head_dim", "headdim", "head_size"),
        implies=("gpu-generation-not-supported",), examples=("AssertionError: DeepGEMM requires Hopper GPUs",),
    ),
)
