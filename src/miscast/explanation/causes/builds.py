"""Why a device that the program asks for is not there."""

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
        needs=("pattern:torch-sees-no-device|pattern:device-said-missing",),
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
        name="extension-without-device",
        text="{op}'s extension was built for the CPU only, or beside another build of torch",
        needs=("pattern:extension-lacks-device",),
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
        ),
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
