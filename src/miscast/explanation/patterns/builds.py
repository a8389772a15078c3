"""What a build or a machine lacks: a device that the program asks for and that is not there, or not in the build."""

from __future__ import annotations

from ..pattern import OpClue, Pattern

_PLACE = "[CUDA|XPU|MPS|HIP|ROCm|HPU|NPU|GPU|XLA]"
_MOVES = (
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
        ),
        op_clues=_MOVES,
        op=".to(device)",
        implies=("build-without-device",),
        examples=(
            "AssertionError: Torch not compiled with CUDA enabled",
            "RuntimeError: PyTorch is not linked with support for mps devices",
        ),
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
        name="torch-sees-no-device",
        category="unsupported-device",
        texts=(
            "Found no NVIDIA driver",
            f"No {_PLACE} GPUs are available",
            "No XPU devices are available",
            "The NVIDIA driver on your system is too old",
            "Attempting to deserialize object on a {found:device} device but",
            "torch.cuda.is_available() should be True but is False",
            "CUDA unavailable, invalid device {n:int}",
            "Invalid CUDA [|--]device[= | ]{...}requested",
            "No GPU found. A GPU is needed for",
            "GPU is required to quantize",
            "assert torch.cuda.is_available(){...}AssertionError",
            "assert(torch.cuda.is_available()){...}AssertionError",
        ),
        op_clues=_MOVES,
        op=".to(device)",
        implies=("no-such-device",),
        examples=(
            "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU",
            "RuntimeError: No CUDA GPUs are available",
            "RuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False.",
            "AssertionError: Invalid CUDA '--device 0' requested, use '--device cpu' or pass valid CUDA device(s)",
            "    assert torch.cuda.is_available()\nAssertionError",
        ),
    ),
    Pattern(
        name="device-said-missing",
        category="unsupported-device",
        texts=(
            "[no|without|lacks] [|a |any ]{found:place} [|capable |enabled ][device|devices|GPU|GPUs|card|cards] [|is |are |was |were ][found|available|detected|visible|here|present]",
            "[has|have|with|there is|there are] no {found:place} [device|devices|card|cards|support]",
            "{found:place} [training|inference|execution|mode|only mode] is not [allowed|supported|possible|implemented|available]",
            "[requires|require|needs|need] [|a |an ][|nvidia |available |working |capable ]{expected:place} [|device |card ][to run|to work|to train|for inference|for training|but none|but no]",
            "[only|just] [works|runs|run|work|trains] [on|with] [|a |an |the ]{expected:place}",
            "{found:place} [|device |devices |card |is ][|was |are ][not available|unavailable|not found|not detected|not visible|required but not]",
        ),
        library="",
        spoken=True,
        faint=True,
        op_clues=_MOVES,
        op=".to(device)",
        unless=("tensorflow", "libcuda", "outofmemory", "requirescpu", "cpunot", "nocpu", "onlyneed", "kernel", "backend", "operator", "plugin", "provider"),
        implies=("no-such-device",),
        examples=("AssertionError: This machine has no cuda devices!", "AssertionError: CPU training is not allowed."),
    ),
    Pattern(
        name="extension-lacks-device",
        category="unsupported-device",
        texts=(
            "[not|n't] compiled with [GPU|CUDA|ROCm|MPS|XPU] support",
            "[not|n't] compiled with [GPU|CUDA]",
            "compiled without [GPU|CUDA|ROCm] support",
            "{op:name}: implementation for device {found:device} not found",
            "Could not run {op:name} with arguments from the [CUDA|HIP|CUDATensorId|HIPTensorId] backend",
        ),
        library="",
        faint=True,
        op_clues=_MOVES,
        op="an extension's op",
        unless=("opencv", "jax", "paddle", "mxnet", "julia", "dlib", "faiss", "cupy", "xgboost", "lightgbm", "ffmpeg", "tensorflow", "couldnotrunaten::", "couldnotrunquantized::"),
        implies=("extension-without-device",),
        examples=(
            "RuntimeError: nms is not compiled with GPU support (nms at mmdet/ops/nms/src/nms_ext.cpp:23)",
            "RuntimeError: nms_impl: implementation for device cuda:0 not found.",
            "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend.",
        ),
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
            "no kernel image is available for execution on the device",
            "[CUDA|HIP|ROCm|cuda runtime] error[:| (8) :| (98) :| (48) :] invalid device function",
            "CUDA [capability|capabilities] {...} is not compatible with the current PyTorch installation",
            "sm_{n:int} is not compatible with the current PyTorch installation",
            "gpu arch {...} isn't compiled in",
        ),
        library="",
        faint=True,
        op_clues=_MOVES,
        op="a CUDA kernel",
        implies=("gpu-newer-or-older",),
        examples=(
            "RuntimeError: CUDA error: no kernel image is available for execution on the device",
            "RuntimeError: HIP error: invalid device function",
        ),
    ),
    Pattern(
        name="device-number",
        category="unsupported-device",
        texts=(
            "[CUDA|HIP|cuda runtime] error[:| (10) :| (101) :] invalid device ordinal",
            "device >= 0 && device < num_gpus",
            "Attempting to deserialize object on {found:device} device {n:int} but",
            "Invalid device id",
        ),
        library="",
        faint=True,
        op_clues=_MOVES,
        op=".to(device)",
        implies=("fewer-devices",),
        examples=("RuntimeError: CUDA error: invalid device ordinal", "AssertionError: Invalid device id"),
    ),
)
