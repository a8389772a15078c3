"""Errors of a machine that lacks a device, its driver, or an engine's provider for it."""

from ..pattern import Pattern
from .builds import ELSEWHERE, MOVES

_PLACE = "[CUDA|XPU|MPS|HIP|ROCm|HPU|NPU|GPU|XLA|TPU|NVIDIA]"
_DEVICE = "[device|devices|GPU|GPUs|card|cards|capable device|accelerator|hardware]"
_THERE = "[found|available|detected|visible|here|present|discovered|accessible|recognized]"
_NOT_FOUND = (
    "[not find|not detect|can't find|cannot find|cannot detect|unable to find|unable to detect|failed to find|failed to detect|find no|"
    "found no|missing]"
)
_NEEDS = "[requires|require|needs|need]"
_PROVIDER = "[CUDA|Tensorrt|TensorRT|NvTensorRtRtx|Dml|ROCM|MIGraphX|CoreML|OpenVINO|QNN|CANN]ExecutionProvider"

PATTERNS = (
    Pattern(
        name="torch-sees-no-device", category="unsupported-device", op=".to(device)",
        texts=(
            "Found no NVIDIA driver",
            f"No {_PLACE} GPUs are available",
            "Attempting to deserialize object on a {found:device} device but",
            "torch.cuda.is_available() should be True but is False",
            "Invalid CUDA [|--]device[= | ]{...}requested",
            "No GPU found. A GPU is needed for",
            "GPU is required to quantize",
            "assert torch.cuda.is_available(){...}AssertionError",
            "assert(torch.cuda.is_available()){...}AssertionError",
            "no [CUDA|ROCm|HIP]-capable device is detected",
            "Failed to infer device type",
            "Device string must not be empty",
            "Accelerator can not run on your system since",
            "No supported gpu backend found",
            "XPU device count is zero",
            "[Failed|failed] to initialize [XPU|CUDA|ROCm|HIP] devices",
            "The device is unavailable. Check whether the device is running",
            "Torch is not able to use GPU",
            "Need to provide pin_memory allocator to use pin memory",
            "The MPS backend is supported on MacOS",
        ),
        op_clues=MOVES, unless=ELSEWHERE, implies=("no-such-device",),
        examples=(
            "RuntimeError: No CUDA GPUs are available",
            "AssertionError: Invalid CUDA '--device 0' requested, use '--device cpu' or pass valid CUDA device(s)",
            "    assert torch.cuda.is_available()\nAssertionError",
            "RuntimeError: HIP error: no ROCm-capable device is detected",
        ),
    ),
    Pattern(
        name="xla-finds-no-device", category="unsupported-device", op="torch_xla", library="torch_xla",
        texts=("Missing XLA configuration", "TPU initialization failed"), unless=("jax", "backendtpu", "backend'tpu'"),
        implies=("no-such-device",),
        examples=("RuntimeError: tensorflow/compiler/xla/xla_client/computation_client.cc:280 : Missing XLA configuration",),
    ),
    Pattern(
        name="device-said-missing", category="unsupported-device", op=".to(device)", library="", faint=True,
        spoken=True,
        texts=(
            f"[no|without|lacks] {{.}}{{found:place}} [|{_DEVICE[1:-1]}] [|is |are |was |were |could be ]{_THERE}",
            f"[has|have|with|there is|there are] no [|nvidia ]{{found:place}} [{_DEVICE[1:-1]}|support]",
            f"{_NOT_FOUND} {{.}}{{found:place}} {_DEVICE}",
            f"{_NOT_FOUND} [|a |any |an |nvidia ]{{found:place}}",
            f"{_NEEDS} [a |an |at least one |1 ]{{.}}{{expected:place}}",
            "{found:place} [training|inference|execution|mode|only mode] is not [allowed|supported|possible|implemented|available]",
            "[only|just] [works|runs|run|work|trains] [on|with] [|a |an |the |nvidia ]{expected:place}",
            "{found:place} [|device |devices |card |is |runtime ][|was |are |were ][not available|unavailable|not found|not detected|not visible|not present|not accessible|not recognized|required but not]",
            "{expected:place} [is|are] [required|needed|mandatory]",
            "no [|supported |compatible |usable ][accelerator|accelerators|devices] [|was |were |is |are ][found|available|detected]",
        ),
        op_clues=MOVES,
        unless=(*ELSEWHERE, "libcuda", "outofmemory", "requirescpu", "cpunot", "nocpu", "onlyneed", "kernel", "backend", "operator", "plugin", "provider", "cudatensor", "gputensor", "cudaversion", "driverversion"),
        implies=("no-such-device",), examples=("AssertionError: CPU training is not allowed.",),
    ),
    Pattern(
        name="server-sees-no-gpu", category="unsupported-device", op="model load", library="llama.cpp",
        texts=(
            "no [usable|compatible|supported] [GPU|GPUs|ROCm GPUs|CUDA GPUs] [found|were discovered|was found|detected]",
            "ggml_[cuda|hip]_init: failed to initialize",
            "not compiled with GPU offload support",
            "CUDA GPU is too old",
        ),
        unless=(*ELSEWHERE, "bitsandbytes"), implies=("server-without-gpu",),
        examples=("ggml_cuda_init: failed to initialize CUDA: no CUDA-capable device is detected",),
    ),
    Pattern(
        name="driver-too-old", category="unsupported-device", op=".to(device)", library="", faint=True,
        texts=(
            "CUDA driver version is insufficient for CUDA runtime version",
            "CUDA initialization failure with error[:|] 35",
            "API call is not supported in the installed CUDA driver",
            "cudaErrorCallRequiresNewerDriver",
        ),
        op_clues=MOVES, unless=ELSEWHERE, implies=("driver-older-than-build",),
        examples=("RuntimeError: cuda runtime error (35) : CUDA driver version is insufficient for CUDA runtime version",),
    ),
    Pattern(
        name="driver-too-old-for-torch", category="unsupported-device", op=".to(device)",
        texts=("The NVIDIA driver on your system is too old",), op_clues=MOVES, implies=("driver-older-than-build",),
    ),
    Pattern(
        name="driver-fails", category="unsupported-device", op=".to(device)", library="", faint=True,
        texts=(
            "Unexpected error from cudaGetDeviceCount()",
            "CUDA unknown error - this may be due to an incorrectly set up environment",
            "CUDA driver initialization failed, you might not have a CUDA gpu",
            "forward compatibility was attempted on non supported HW",
            "error=[30|999] : unknown error",
            "Can't initialize NVML",
        ),
        op_clues=MOVES, unless=ELSEWHERE, implies=("driver-out-of-step",),
        examples=(
            ("RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling "
             "NumCudaDevices() that might have already set an error? Error 804: forward compatibility was attempted on non "
             "supported HW"),
        ),
    ),
    Pattern(
        name="driver-not-found", category="unsupported-device", op=".to(device)", library="an extension",
        texts=(
            "[libcuda.so|libcuda.so.1|libcuda]: cannot open shared object file",
            "[libcuda.so|libcuda.so.1|libcuda] [cannot|could not be|can not be|not|was not] found",
        ),
        unless=(*ELSEWHERE, "dlerror", "xla/", "tsl/", "libnvcuvid", "sonamelib"), implies=("driver-library-missing",),
        examples=(
            "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory",
            "AssertionError: libcuda.so cannot found!",
        ),
    ),
    Pattern(
        name="provider-missing", category="unsupported-device", op="onnxruntime session", library="onnxruntime",
        texts=(
            f"Failed to create {_PROVIDER}",
            f"Specified provider '{_PROVIDER}' is not in available provider names",
            "LoadLibrary failed with error {n:int} {...}onnxruntime_providers_",
        ),
        implies=("provider-without-libraries",),
        examples=("UserWarning: Specified provider 'CUDAExecutionProvider' is not in available provider names.",),
    ),
    Pattern(
        name="device-number", category="unsupported-device", op=".to(device)", library="", faint=True,
        texts=(
            "[CUDA|HIP|cuda runtime] error[:| (10) :| (101) :] invalid device ordinal",
            "Attempting to deserialize object on {found:device} device {n:int} but",
            "Invalid device id",
        ),
        op_clues=MOVES, implies=("fewer-devices",),
        examples=("RuntimeError: CUDA error: invalid device ordinal", "AssertionError: Invalid device id"),
    ),
)
