"""Environment variables that change precision, from scripts, dotenv files and `os.environ[…] = …`."""

from __future__ import annotations

from collections.abc import Iterator

from ..conflict import Check
from ..contradiction import Contradiction
from ..run import Run
from ..system import Key, Number, Setting, Switch, System, Text
from ..unsaid import TF32_OFF, TF32_ON, tf32_switches
from ..view import View

_TORCH = "torch/backends/cuda, aten/src/ATen/Context.cpp, 2.13.0"
_NVIDIA = "NVIDIA's documentation of NVIDIA_TF32_OVERRIDE (cuBLAS, cuDNN)"

_KEYS = (
    Key(name="ACCELERATE_MIXED_PRECISION", allowed=("no", "fp16", "bf16", "fp8"), source="accelerate/state.py, 1.15.0",
        rejects="ValueError: Unknown mixed_precision mode: {value}"),
    Switch(name="ACCELERATE_USE_CPU", source="accelerate/state.py, 1.15.0"),
    Switch(name="ACCELERATE_USE_DEEPSPEED", source="accelerate/utils/launch.py, 1.15.0"),
    Switch(name="ACCELERATE_USE_FSDP", source="accelerate/utils/launch.py, 1.15.0"),
    Number(name="FSDP_VERSION", source="accelerate/utils/launch.py, 1.15.0"),
    Number(name="NVIDIA_TF32_OVERRIDE", means="0: no TF32, whatever the program sets", source=_NVIDIA),
    Switch(name="TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", source=_TORCH,
           means="1: TF32 in matrix products, whatever the default"),
    Switch(name="PYTORCH_ENABLE_MPS_FALLBACK", source="aten/src/ATen/mps, torch 2.13.0"),
    Text(name="CUDA_VISIBLE_DEVICES", source="CUDA C++ programming guide"),
    Switch(name="TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", default=None, source="torch/serialization.py, 2.13.0"),
    Text(name="PL_TRAINER_PRECISION", source="lightning/pytorch/utilities/argparse.py, 2.6.6"),
    Text(name="LT_PRECISION", source="lightning/fabric/connector.py _argument_from_env, 2.6.6"),
    Switch(name="XLA_USE_BF16", until="torch_xla 2.6", source="pytorch/xla docs"),
    Switch(name="XLA_DOWNCAST_BF16", until="torch_xla 2.6", source="pytorch/xla docs"),
)

SYSTEM = System(
    name="environment", title="the environment", version="torch 2.13.0", role="environment", source="each key's own",
    keys=_KEYS, variables=tuple(key.name for key in _KEYS),
)


_READ_ONCE = {
    "PYTORCH_ENABLE_MPS_FALLBACK": "aten/src/ATen/mps/MPSFallback.mm registers the fallback when torch is loaded",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE": "aten/src/ATen/Context.h initializes its float32 precision from it once",
}
_TF32 = (
    ("NVIDIA_TF32_OVERRIDE", 0.0, TF32_ON, "silent: cuBLAS and cuDNN use no TF32, whatever the program sets"),
    ("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", True, TF32_OFF,
     "silent: matrix products use TF32 from the start, until the program switches it off"),
)


def _too_late(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield variables that a program sets for itself after torch has read them."""
    for name, why in _READ_ONCE.items():
        for setting in view.settings.get(name, ()):
            in_function = setting.entry.at.code[:1].isspace()  # which may set it for a process that it starts
            if not in_function and 0 < setting.document.loaded < setting.entry.at.line:
                yield Contradiction(
                    says=f"{name} is set after torch was imported, in line {setting.document.loaded}",
                    settings=(setting,), severity="warning", effect=f"silent: it has no effect in this process ({why})",
                    help="set it before `import torch`, or in the shell",
                )


def _overrides(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield variables that override a setting: TF32's, and accelerate's precision."""
    for setting in _tf32(run):
        for name, value, overridden, effect in _TF32:
            variable = view.given(name)
            if variable is not None and variable.value == value and setting.value in overridden:
                yield _overridden(variable, setting, effect)
    variable, file = view.given("ACCELERATE_MIXED_PRECISION"), run.view("accelerate").given("mixed_precision")
    if variable and file and file.document.origin == "file" and variable.value not in ("", None, False, file.value):
        yield _overridden(variable, file, "silent: a script started without accelerate launch reads the variable; "
                          "accelerate launch sets it from the file")


def _tf32(run: Run) -> Iterator[Setting]:
    settings = (view.given(key) for view in run.views for key in ("tf32", "allow_tf32"))
    yield from filter(None, settings)
    yield from tf32_switches(run.view("torch"))


def _overridden(variable: Setting, setting: Setting, effect: str) -> Contradiction:
    return Contradiction(
        says=f"{variable.name}={variable.entry.text} overrides {setting.name} {setting.entry.text}".rstrip(),
        settings=(variable, setting), severity="warning", effect=effect,
        help=f"drop the variable, or make {setting.name} agree with it",
    )


CONFLICTS = (
    Check(
        rule="environment-overrides-setting", search=_overrides,
        source=f"{_NVIDIA}; {_TORCH}; accelerate/state.py, 1.15.0",
    ),
    Check(
        rule="environment-set-too-late", search=_too_late,
        source="aten/src/ATen/mps/MPSFallback.mm, aten/src/ATen/Context.h, torch 2.13.0",
    ),
)
