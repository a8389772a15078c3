"""Causes of a requested device that is absent, or that the build does not support."""

from ..cause import Cause, Clue

_CHOOSE = 'device = "cuda" if torch.cuda.is_available() else "cpu", and .to(device) instead of .cuda()'
_PRINT = "python -c 'import torch; print(torch.__version__, torch.cuda.is_available())'"
CAUSES = (
    Cause(
        name="build-without-device", weight=0.4,
        text="this build of torch was made without the device that the program asks for",
        needs=("pattern:build-lacks-device",),
        help=(
            f"{_PRINT}: if it says +cpu, reinstall torch from the index for your CUDA, ROCm or XPU (pytorch.org)",
            _CHOOSE,
        ),
    ),
    Cause(
        name="no-such-device", weight=0.4,
        text="torch sees no such device on this machine: it does not exist, its driver is missing or incompatible, or CUDA_VISIBLE_DEVICES or the container hides it",
        needs=("pattern:torch-sees-no-device|pattern:device-said-missing|pattern:device-not-there",),
        clues=(Clue(weight=-0.3, facts=("op:torch.load",)),),
        help=(f"nvidia-smi (or rocm-smi) on that machine, in that container; {_PRINT}", _CHOOSE),
    ),
    Cause(
        name="saved-on-gpu", weight=0.9,
        text="the checkpoint was saved from a GPU, and torch.load restores its tensors there",
        needs=("pattern:torch-sees-no-device|pattern:device-number", "op:torch.load"),
        help=("torch.load(path, map_location='cpu'), then model.to(device)",),
    ),
    Cause(
        name="device-hard-coded", weight=0.35,
        text="the program uses a fixed device, whatever the machine has: .cuda(), device='cuda', --device 0",
        needs=("pattern:build-lacks-device|pattern:torch-sees-no-device|pattern:device-said-missing",),
        clues=(Clue(weight=0.2, words=(".cuda(", "to('cuda", 'to("cuda', "device='cuda", 'device="cuda')),),
        help=(_CHOOSE,),
    ),
    Cause(
        name="driver-older-than-build", weight=0.5, text="the GPU driver is older than the CUDA version of this build",
        needs=("pattern:driver-too-old",),
        help=(
            "nvidia-smi shows the newest CUDA version that the driver supports: update the driver on the host (a container uses the host's)",
            "or install a build of torch for that CUDA version or an older one: --index-url https://download.pytorch.org/whl/cu…",
        ),
    ),
    Cause(
        name="driver-out-of-step", weight=0.4,
        text="the driver is installed but returns an error: it was updated without a restart, a container brings another libcuda, or one of its services is not running",
        needs=("pattern:driver-fails",),
        help=(
            "run nvidia-smi first; after a driver update, restart the machine; after a suspend: rmmod nvidia_uvm; modprobe nvidia_uvm",
            "error 803 or 804: an older libcuda (cuda-compat) comes first in LD_LIBRARY_PATH; error 802: start nvidia-fabricmanager",
        ),
    ),
    Cause(
        name="driver-library-missing", weight=0.5,
        text="the driver's own library (libcuda.so, nvcuda.dll) is not found: there is no driver, the container has no GPU access, or its folder is not on the search path",
        needs=("pattern:driver-not-found",),
        help=(
            "ldconfig -p | grep libcuda; containers: docker run --gpus all; WSL: LD_LIBRARY_PATH=/usr/lib/wsl/lib",
            "if only libcuda.so.1 exists: ln -s libcuda.so.1 libcuda.so in the same folder",
        ),
    ),
    Cause(
        name="device-unknown-to-torch", weight=0.5,
        text="this version of torch does not know a device of that name: it is older than the device, the plug-in that provides it (torch_npu, torch_directml, intel_extension_for_pytorch) is not imported, or the name is misspelt",
        needs=("pattern:device-name-unknown",), clues=(Clue(weight=-0.2, facts=("op:torch.load",)),),
        help=(
            "import the device's plug-in before the first torch.device; mps needs torch 1.12, xpu 2.4",
            "print the string that is passed: 'cuda:0', never 'cuda:None' or '0'",
        ),
    ),
    Cause(
        name="saved-on-other-device", weight=0.9,
        text="the checkpoint was saved from a device that this version of torch does not know",
        needs=("pattern:device-name-unknown", "op:torch.load"),
        help=("torch.load(path, map_location='cpu'), then model.to(device)",),
    ),
    Cause(
        name="bitsandbytes-on-cpu", weight=0.5,
        text="bitsandbytes found no library for this CUDA version, or no GPU, and uses its CPU library",
        needs=("pattern:bitsandbytes-without-gpu",),
        help=(
            "pip install -U bitsandbytes, then python -m bitsandbytes: it prints which CUDA version it looked for and where",
            f"it looks for torch's CUDA: {_PRINT} must say True",
        ),
    ),
    Cause(
        name="server-without-gpu", weight=0.5,
        text="this build has no GPU backend, or sees no GPU, and runs on the CPU",
        needs=("pattern:server-sees-no-gpu",),
        help=(
            (
                "llama.cpp: build with -DGGML_CUDA=ON (HIP, VULKAN, SYCL, METAL); llama-cpp-python: "
                'CMAKE_ARGS="-DGGML_CUDA=on" pip install --force-reinstall --no-cache-dir llama-cpp-python'
            ),
            "nvidia-smi (or rocminfo, vulkaninfo) as the same user, in the same container (docker run --gpus all)",
        ),
    ),
    Cause(
        name="provider-without-libraries", weight=0.5,
        text="onnxruntime does not have this provider: the CPU package is installed, or the CUDA and cuDNN versions it was built for are not found",
        needs=("pattern:provider-missing",),
        help=(
            "pip uninstall -y onnxruntime onnxruntime-gpu; pip install onnxruntime-gpu; print(onnxruntime.get_available_providers())",
            "import torch, or call onnxruntime.preload_dlls(), before creating the session: they load the CUDA libraries",
        ),
    ),
    Cause(
        name="gpu-generation-not-supported", weight=0.4,
        text="this software was not built for a GPU of this generation (its compute capability or gfx number)",
        needs=("pattern:gpu-too-old-or-new|pattern:newer-gpu-said-needed|pattern:generation-not-taken",),
        help=(
            "torch.cuda.get_device_capability() returns the GPU's capability; choose another backend or kernel that supports it, or other versions: newer for a new GPU, older for an old one",
            "to compile it yourself, use a CUDA toolkit that knows the GPU and set TORCH_CUDA_ARCH_LIST to its capability",
        ),
    ),
    Cause(
        name="extension-without-device", weight=0.4,
        text="{op}'s extension was built for the CPU only, or for another build of torch",
        needs=("pattern:extension-lacks-device|pattern:xformers-built-without-gpu",),
        help=("install the build of the extension for your torch and CUDA version (pip list shows +cu…), or rebuild it with FORCE_CUDA=1",),
    ),
    Cause(
        name="gpu-newer-or-older", weight=0.4,
        text="the build has no kernels for this GPU: the GPU is newer than the build, or too old for it",
        needs=("pattern:gpu-not-in-build",),
        help=(
            "torch.cuda.get_device_capability() must be in torch.cuda.get_arch_list(); if not, install a build of torch for a newer CUDA version (an older one for an old GPU)",
            "for an extension: rebuild it with TORCH_CUDA_ARCH_LIST set to the GPU's capability",
            "for ROCm: HSA_OVERRIDE_GFX_VERSION=10.3.0 (RDNA 2) or 11.0.0 (RDNA 3) uses the kernels of a similar GPU",
        ),
    ),
    Cause(
        name="attention-on-new-gpu", weight=0.5,
        text="this GPU is newer than the build's attention kernels, which support up to the capability named in the message",
        needs=("pattern:xformers-needs-older-gpu",),
        help=("update the library, or build it for this GPU; torch's own scaled_dot_product_attention has kernels for it",),
    ),
    Cause(
        name="attention-on-old-gpu", weight=0.9,
        text="this attention has no kernel for a GPU of this generation: FlashAttention 2 needs Ampere (compute capability 8.0; T4, V100, RTX 20 are older), FlashAttention 3 needs Hopper (9.0)",
        needs=("pattern:attention-needs-newer-gpu",),
        help=(
            "attn_implementation='sdpa': torch's own attention picks a kernel that the GPU supports",
            "before Ampere, use float16: bfloat16 is emulated there",
        ),
    ),
    Cause(
        name="fewer-devices", weight=0.4,
        text="the program uses a GPU number that does not exist on this machine or in CUDA_VISIBLE_DEVICES",
        needs=("pattern:device-number",),
        help=(
            "numbers start at 0, also among the GPUs in CUDA_VISIBLE_DEVICES: compare with torch.cuda.device_count()",
            "for a checkpoint: torch.load(path, map_location='cpu')",
        ),
    ),
)
