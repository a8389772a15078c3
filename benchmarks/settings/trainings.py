"""A combination's program on the virtual machine, in this process: what ended it, and what would have on hardware."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable

from combination import Combination

import probe
from miscast.core import machines
from miscast.report.judged import judged
from miscast.running.distributed.run import run_ranks
from miscast.running.launching.command_line import Launching, read, starts_others
from miscast.running.process.environment import put
from miscast.running.program.run import run_program

_LIBRARIES = {
    "by_accelerate": ("accelerate", "transformers.models.llama.modeling_llama"),
    "by_automodel": ("datasets", "torchao", "transformers.models.llama.modeling_llama"),
    "by_axolotl": (
        "axolotl.cli.train", "axolotl.train", "axolotl.core.builders", "peft",
        "transformers.models.llama.modeling_llama",
    ),
    "by_deepspeed": ("torch.distributed",),
    "by_diffusers": (
        "accelerate", "datasets", "diffusers", "torchvision.transforms", "transformers.models.clip.modeling_clip",
        "transformers.models.t5.modeling_t5", "peft",
    ),
    "by_kohya": (
        "accelerate", "diffusers", "torchvision.transforms", "transformers.models.clip.modeling_clip", "cv2",
        "diffusers.pipelines.stable_diffusion.pipeline_stable_diffusion",
    ),
    "by_lightning": ("lightning",),
    "by_llamafactory": ("llamafactory.train.tuner", "transformers.models.llama.modeling_llama"),
    "by_onetrainer": (
        "peft", "torch.utils.tensorboard", "torch._dynamo", "torch._inductor.compile_fx", "bitsandbytes", "av",
        "scipy.stats", "diffusers.pipelines.stable_diffusion.convert_from_ckpt",
        "transformers.models.clip.modeling_clip", "diffusers.pipelines.flux.pipeline_flux",
        "diffusers.pipelines.hidream_image.pipeline_hidream_image",
    ),
    # SimpleTuner asks for CUDA as it is imported: that is left to the machine
    "by_simpletuner": (
        "accelerate", "torchvision.transforms", "peft", "scipy.stats", "pandas", "fastapi", "torchao", "optimum.quanto",
        "diffusers.pipelines.stable_diffusion_xl.pipeline_stable_diffusion_xl", "librosa", "torch._dynamo",
        "torch._inductor.compile_fx", "transformers.models.clip.modeling_clip", "datasets", "torchmetrics",
    ),
    # torchtitan compiles its attention as it is imported: that is left to the machine
    "by_torchtitan": ("datasets", "tyro", "torch.distributed.checkpoint"),
    "by_torchtitan_toml": ("datasets", "tyro", "torch.distributed.checkpoint"),
    "by_torchtune": ("torchtune.training", "torchtune.datasets", "torchtune.models.llama3"),
    "by_trl": (
        "transformers.models.llama.modeling_llama", "trl.trainer.sft_trainer", "trl.trainer.dpo_trainer",
        "trl.trainer.grpo_trainer",
    ),
    "trainer": ("transformers.trainer", "transformers.models.llama.modeling_llama"),
}


def warm(families: Iterable[str]) -> None:
    """Import what the programs import, once for all of them."""
    for module in ("torch", *(name for family in sorted(families) for name in _LIBRARIES[family])):
        importlib.import_module(module)


def _forget() -> None:
    """DeepSpeed, where it was imported before the machine was there, has made up its mind that there is no GPU."""
    if accelerator := sys.modules.get("deepspeed.accelerator.real_accelerator"):
        accelerator.ds_accelerator = None  # type: ignore[attr-defined]


def errors(one: Combination) -> list[str]:
    """The errors of a combination's program: what it raised, and what torch would have raised."""
    program = read(one.command)
    assert program is not None, one.command
    ranks = 0
    machine = machines.find(one.machine)
    sys.path.insert(0, "")
    _forget()
    if one.models:
        probe.meet(one.models)
    while True:
        try:
            if ranks:
                trace = run_ranks(ranks, program.target, program.args, machine)
            else:
                follow = starts_others(program.target)
                trace = run_program(program.target, program.args, machine, follow=follow)
            break
        except Launching as start:
            program, ranks = start.launch.program, start.launch.ranks
            put(start.launch.environment)
    if one.models:
        probe.tell()
    report = judged(trace, strict=False)
    ended = [str(report.ended)] if report.ended else []
    return [*ended, *(f.error or f.message for f in report.findings if f.severity == "error")]
