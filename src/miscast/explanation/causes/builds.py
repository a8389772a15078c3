"""Why a device that the program asks for is not there, or not in reach of the build."""

from __future__ import annotations

from ..cause import Cause, Clue

_CHOOSE = 'device = "cuda" if torch.cuda.is_available() else "cpu", and .to(device) instead of .cuda()'
_PRINT = "python -c 'import torch; print(torch.__version__, torch.cuda.is_available())'"
CAUSES = (
    Cause(
        name="build-without-device",
        text="this build of torch was made without the device that the program asks for",
        needs=("pattern:build-lacks-device",),
        weight=0.4,
        help=(
            f"{_PRINT}: if it says +cpu, reinstall torch from the index of your CUDA, ROCm or XPU (pytorch.org)",
            _CHOOSE,
        ),
    ),
    Cause(
        name="no-such-device",
        text="torch sees no such device on this machine: there is none, its driver is missing or does not fit, or "
        "CUDA_VISIBLE_DEVICES or the container hides it",
        needs=("pattern:torch-sees-no-device|pattern:device-said-missing|pattern:device-not-there",),
        weight=0.4,
        clues=(Clue(weight=-0.3, facts=("op:torch.load",)),),
        help=(f"nvidia-smi (or rocm-smi) on that machine, in that container; {_PRINT}", _CHOOSE),
    ),
    Cause(
        name="saved-on-gpu",
        text="the checkpoint was saved from a GPU, and torch.load puts its tensors back there",
        needs=("pattern:torch-sees-no-device|pattern:device-number", "op:torch.load"),
        weight=0.9,
        help=("torch.load(path, map_location='cpu'), then model.to(device)",),
    ),
    Cause(
        name="device-hard-coded",
        text="the program names a device whatever the machine has: .cuda(), device='cuda', --device 0",
        needs=("pattern:build-lacks-device|pattern:torch-sees-no-device|pattern:device-said-missing",),
        weight=0.35,
        clues=(Clue(weight=0.2, words=(".cuda(", "to('cuda", 'to("cuda', "device='cuda", 'device="cuda')),),
        help=(_CHOOSE,),
    ),
    Cause(
        name="driver-older-than-build",
        text="the GPU's driver is older than the CUDA that this build was made with",
        needs=("pattern:driver-too-old",),
        weight=0.5,
        help=(
            "nvidia-smi shows the newest CUDA that the driver runs: update the driver on the host (a container uses the host's)",
            "or install a torch that was built with that CUDA or an older one: --index-url https://download.pytorch.org/whl/cu…",
        ),
    ),
    Cause(
        name="driver-out-of-step",
        text="the driver is there and answers with an error: it was updated without a restart, a container brings another "
        "libcuda, or a service of it is not running",
        needs=("pattern:driver-fails",),
        weight=0.4,
        help=(
            "nvidia-smi first; after an update of the driver restart the machine, after a suspend: rmmod nvidia_uvm; modprobe nvidia_uvm",
            "error 803 or 804: an older libcuda (cuda-compat) stands first on LD_LIBRARY_PATH; error 802: start nvidia-fabricmanager",
        ),
    ),
    Cause(
        name="driver-library-missing",
        text="the driver's own library (libcuda.so, nvcuda.dll) is not found: no driver, a container without the GPU, or its "
        "folder is not searched",
        needs=("pattern:driver-not-found",),
        weight=0.5,
        help=(
            "ldconfig -p | grep libcuda; containers: docker run --gpus all; WSL: LD_LIBRARY_PATH=/usr/lib/wsl/lib",
            "only libcuda.so.1 is there: ln -s libcuda.so.1 libcuda.so beside it",
        ),
    ),
    Cause(
        name="device-unknown-to-torch",
        text="this torch does not know a device of that name: it is older than the device, the plug-in that brings it "
        "(torch_npu, torch_directml, intel_extension_for_pytorch) is not imported, or the name is misspelt",
        needs=("pattern:device-name-unknown",),
        weight=0.5,
        clues=(Clue(weight=-0.2, facts=("op:torch.load",)),),
        help=(
            "import the device's plug-in before the first torch.device; mps needs torch 1.12, xpu 2.4",
            "print the string that is passed: 'cuda:0', never 'cuda:None' or '0'",
        ),
    ),
    Cause(
        name="saved-on-other-device",
        text="the checkpoint was saved from a device that this torch does not know",
        needs=("pattern:device-name-unknown", "op:torch.load"),
        weight=0.9,
        help=("torch.load(path, map_location='cpu'), then model.to(device)",),
    ),
    Cause(
        name="bitsandbytes-on-cpu",
        text="bitsandbytes found no library of its own for this CUDA, or no GPU, and went on with the CPU's",
        needs=("pattern:bitsandbytes-without-gpu",),
        weight=0.5,
        help=(
            "pip install -U bitsandbytes, then python -m bitsandbytes: it tells which CUDA it looked for and where",
            f"it looks for torch's CUDA: {_PRINT} must say True",
        ),
    ),

    Cause(
        name="server-without-gpu",
        text="this build was made without the GPU's backend, or sees no GPU, and computes on the CPU",
        needs=("pattern:server-sees-no-gpu",),
        weight=0.5,
        help=(
            (
                "llama.cpp: build with -DGGML_CUDA=ON (HIP, VULKAN, SYCL, METAL); llama-cpp-python: "
                'CMAKE_ARGS="-DGGML_CUDA=on" pip install --force-reinstall --no-cache-dir llama-cpp-python'
            ),
            "nvidia-smi (or rocminfo, vulkaninfo) as the same user, in the same container (docker run --gpus all)",
        ),
    ),
    Cause(
        name="provider-without-libraries",
        text="onnxruntime has not this provider: the package for the CPU is installed, or CUDA and cuDNN of the version that "
        "it was built with are not found",
        needs=("pattern:provider-missing",),
        weight=0.5,
        help=(
            "pip uninstall -y onnxruntime onnxruntime-gpu; pip install onnxruntime-gpu; print(onnxruntime.get_available_providers())",
            "import torch, or call onnxruntime.preload_dlls(), before the session: they bring CUDA's libraries",
        ),
    ),
    Cause(
        name="gpu-generation-not-supported",
        text="this software was not made for a GPU of this generation (its compute capability or gfx number)",
        needs=("pattern:gpu-too-old-or-new|pattern:newer-gpu-said-needed|pattern:generation-not-taken",),
        weight=0.4,
        help=(
            (
                "torch.cuda.get_device_capability() tells the GPU's; choose another backend or kernel that has it, or "
                "other versions: newer ones for a new GPU, older ones for an old"
            ),
            "of what is compiled here: a CUDA toolkit that knows the GPU, and TORCH_CUDA_ARCH_LIST set to its capability",
        ),
    ),
    Cause(
        name="extension-without-device",
        text="{op}'s extension was built for the CPU only, or beside another build of torch",
        needs=("pattern:extension-lacks-device|pattern:xformers-built-without-gpu",),
        weight=0.4,
        help=(
            (
                "install the build of the extension that belongs to torch's version and CUDA (pip list shows +cu…), or "
                "build it again with FORCE_CUDA=1"
            ),
        ),
    ),
    Cause(
        name="gpu-newer-or-older",
        text="the build has no kernels for this GPU: it is newer than the build, or older than those it was made for",
        needs=("pattern:gpu-not-in-build",),
        weight=0.4,
        help=(
            (
                "torch.cuda.get_device_capability() must be among torch.cuda.get_arch_list(): else install a torch built "
                "with a newer CUDA (an older one for an old GPU)"
            ),
            "of an extension: build it again with TORCH_CUDA_ARCH_LIST set to the GPU's capability",
            "of ROCm: HSA_OVERRIDE_GFX_VERSION=10.3.0 (RDNA 2) or 11.0.0 (RDNA 3) uses the kernels of a near relation",
        ),
    ),
    Cause(
        name="attention-on-new-gpu",
        text="this GPU is newer than the attention kernels of the build: they go up to the capability that it names",
        needs=("pattern:xformers-needs-older-gpu",),
        weight=0.5,
        help=("update the library, or build it for this GPU; torch's own scaled_dot_product_attention has kernels for it",),
    ),
    Cause(
        name="attention-on-old-gpu",
        text="this attention has no kernel for a GPU of this generation: FlashAttention 2 begins with Ampere (compute "
        "capability 8.0; T4, V100, RTX 20 are older), FlashAttention 3 with Hopper (9.0)",
        needs=("pattern:attention-needs-newer-gpu",),
        weight=0.9,
        help=(
            "attn_implementation='sdpa': torch's own attention takes the kernel that the GPU has",
            "before Ampere compute in float16: bfloat16 is emulated there",
        ),
    ),
    Cause(
        name="fewer-devices",
        text="the program asks for a GPU by a number that this machine, or CUDA_VISIBLE_DEVICES, does not have",
        needs=("pattern:device-number",),
        weight=0.4,
        help=(
            "numbers begin at 0, and behind CUDA_VISIBLE_DEVICES again at 0: compare with torch.cuda.device_count()",
            "of a checkpoint: torch.load(path, map_location='cpu')",
        ),
    ),
)
