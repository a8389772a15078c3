"""What a build or a machine lacks: a device that the program asks for and that is not there, or not in the build."""

from __future__ import annotations

from ..pattern import OpClue, Pattern

_PLACE = "[CUDA|XPU|MPS|HIP|ROCm|HPU|NPU|GPU|XLA]"
_MOVES = (
    OpClue(op="nms", place="message", words=("nms",)),
    OpClue(op="roi_align", place="message", words=("roi_align", "roialign")),
    OpClue(op="torch.load", place="message", words=("deserialize",)),
    OpClue(op="torch.load", place="file", words=("serialization.py",), frames=3),
    OpClue(op="memory_efficient_attention", place="message", words=("xformers",)),
    OpClue(op=".to(cuda)", place="words", words=(").cuda(", ".cuda()", ").to("), frames=6),
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
            "Could not run aten::{op:name} with arguments from the [|Sparse|SparseCsr|Quantized]{found:device}[TensorId|] backend. [This could be because|\\'aten::]",
            "Cannot access accelerator device when none is available",
        ),
        op_clues=_MOVES,
        op=".to(cuda)",
        implies=("build-without-device",),
        examples=(
            "AssertionError: Torch not compiled with CUDA enabled",
            "RuntimeError: PyTorch is not linked with support for mps devices",
        ),
    ),
    Pattern(
        name="device-not-here",
        category="unsupported-device",
        texts=(
            "Found no NVIDIA driver on your system",
            f"Error: No {_PLACE} [GPUs|devices] are available",
            f"No {_PLACE} GPUs are available",
            "No XPU devices are available",
            "no [CUDA|ROCm]-capable device is detected",
            "Attempting to deserialize object on a {found:device} device but",
            "torch.cuda.is_available() should be True but is False",
            "CUDA unavailable, invalid device {n:int}",
            "Invalid CUDA [|--]device[= | ]{...}requested",
            "No GPU found. A GPU is needed for",
            "GPU is required to [quantize|run]",
            f"Error: {_PLACE} [is |]not available",
            f"Error: {_PLACE} device is not available",
        ),
        library="",
        faint=True,
        op_clues=_MOVES,
        op=".to(cuda)",
        unless=("tensorflow", "libcuda.so"),
        implies=("no-such-device",),
        examples=(
            "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU",
            "RuntimeError: No CUDA GPUs are available",
            "RuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False.",
            "AssertionError: Invalid CUDA '--device 0' requested, use '--device cpu' or pass valid CUDA device(s)",
        ),
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
        unless=("opencv", "xgboost", "lightgbm", "ffmpeg", "tensorflow", "couldnotrunaten::", "couldnotrunquantized::"),
        implies=("extension-without-device",),
        examples=(
            "RuntimeError: nms is not compiled with GPU support (nms at mmdet/ops/nms/src/nms_ext.cpp:23)",
            "RuntimeError: nms_impl: implementation for device cuda:0 not found.",
            "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend.",
        ),
    ),
    Pattern(
        name="gpu-not-in-build",
        category="unsupported-device",
        texts=(
            "no kernel image is available for execution on the device",
            "[CUDA|HIP|cuda runtime] error[:| (8) :| (98) :| (48) :] invalid device function",
            "is not compatible with the current PyTorch installation",
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
        op=".to(cuda)",
        implies=("fewer-devices",),
        examples=("RuntimeError: CUDA error: invalid device ordinal", "AssertionError: Invalid device id"),
    ),
)
