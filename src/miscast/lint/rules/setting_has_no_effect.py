"""A setting is read, and changes nothing.

## What
LLaMA-Factory's `infer_dtype` in training; sd-scripts' `fp8_base` for Anima; SimpleTuner's and others' switches that a
later line resets.

## Why
The library takes the value and then does something else, with a log line at most.

## Example
    do_train: true
    infer_dtype: float16

## Use instead
    do_train: true
    fp16: true

## Fix safety
Not safe: the numbers change to what was asked for.
"""

from __future__ import annotations

from ..conflict import Conflict, When
from ..run import Run
from ..systems import kohya, torchtitan, ultralytics
from ..view import View


def _anima(flag: str) -> When:
    def when(view: View, _: Run) -> bool:
        return view.on(flag) and kohya.is_model(view, "anima")

    return when


def _engine_asks(half: str, *, trained: bool) -> When:
    """A section of DeepSpeed's JSON among accelerate's own options, which ask for another precision.

    `trained`: and a trainer asks for the same by itself.
    """
    key = f"deepspeed_config.{half}.enabled"
    return lambda view, run: (
        view.on(key)
        and not view.at("mixed_precision", half)
        and _trains_in(half, run) is trained
    )


def _trains_in(half: str, run: Run) -> bool:
    asked = (v.system.facts.halves(v) for v in run.trainers if v.system.facts.halves)
    return any(halves.get(half) is True for halves in asked)


CONFLICTS = (
    *(
        Conflict(
            system="accelerate",
            keys=(f"deepspeed_config.{half}.enabled", "mixed_precision"),
            severity="warning",
            when=_engine_asks(half, trained=False),
            says=f"deepspeed_config.{half} is no option of accelerate's",
            effect="silent: accelerate makes DeepSpeed's configuration of its own options, and takes the dtype from "
            "mixed_precision, here {1}",
            help=f"set mixed_precision: {half}, or name a JSON in deepspeed_config_file",
            source="accelerate/commands/launch.py _validate_launch_command, DeepSpeedPlugin, 1.15.0",
        )
        for half in ("bf16", "fp16")
    ),
    *(
        Conflict(
            system="accelerate",
            keys=(f"deepspeed_config.{half}.enabled",),
            severity="hint",
            when=_engine_asks(half, trained=True),
            says=f"deepspeed_config.{half} is no option of accelerate's",
            effect=f"silent: the trainer's own {half} decides, which is the same",
            help=f"set mixed_precision: {half} for what has no trainer, or drop the section",
            source="accelerate/commands/launch.py _validate_launch_command, 1.15.0; DeepSpeed#8072",
        )
        for half in ("bf16", "fp16")
    ),
    Conflict(
        system="ultralytics",
        keys=("half", "int8"),
        severity="warning",
        when=lambda s, _: (
            s.on("half")
            and s.on("int8")
            and s.get("quantize") is None
            and ultralytics.mode(s) == "export"
        ),
        says="half beside int8",
        effect="silent: int8 wins over half; both are deprecated, quantize=8 and quantize=16 replace them",
        help="drop half",
        source="ultralytics/cfg/__init__.py _handle_deprecation, 8.4.190",
    ),
    Conflict(
        system="llamafactory",
        keys=("infer_dtype", "do_train"),
        severity="warning",
        when=lambda s, _: (
            s.on("do_train")
            and s.given("infer_dtype") is not None
            and not s.at("infer_dtype", "auto")
        ),
        says="infer_dtype is {0} in training",
        effect="silent: it is for inference; bf16, fp16 and pure_bf16 decide",
        help="drop infer_dtype, and set bf16 or fp16",
        source="llamafactory/hparams/parser.py get_train_args sets compute_dtype from bf16 and fp16, 0.9.5",
    ),
    *(
        Conflict(
            system="kohya",
            keys=(flag,),
            severity="warning",
            when=_anima(flag),
            says=f"{flag} has no effect for Anima",
            effect="silent: fp8_base is not supported, and is reset to False",
            help=f"drop {flag}",
            source="sd-scripts anima_train_network.py assert_extra_args",
        )
        for flag in ("fp8_base", "fp8_base_unet")
    ),
    Conflict(
        system="torchtitan",
        keys=(
            "training.mixed_precision_param",
            "parallelism.data_parallel_shard_degree",
            "parallelism.tensor_parallel_degree",
            "parallelism.pipeline_parallel_degree",
        ),
        severity="warning",
        when=lambda s, _: (
            torchtitan.by_toml(s)
            and s.at("training.mixed_precision_param", "bfloat16")
            and s.given("training.mixed_precision_param") is not None
            and s.number("parallelism.data_parallel_shard_degree") == 1
            and s.number("parallelism.context_parallel_degree") in (None, 1.0)
            and max(
                s.number(f"parallelism.{kind}_parallel_degree") or 1
                for kind in ("tensor", "pipeline")
            )
            > 1
        ),
        says="mixed_precision_param has no effect without FSDP",
        effect="silent: it takes effect through fully_shard, or autocast under plain data parallelism; with tensor or "
        "pipeline parallelism alone, training runs in float32",
        help="shard over data too (data_parallel_shard_degree above 1), or set training.dtype",
        source="torchtitan/distributed/utils.py maybe_enable_amp, until 0.2",
    ),
    Conflict(
        system="lightning",
        keys=("precision", "accelerator"),
        severity="warning",
        when=lambda s, _: (
            s.at("accelerator", "cpu") and s.at("precision", "16-mixed", 16, "16")
        ),
        says="precision {0} on cpu becomes bf16-mixed",
        effect="silent: AMP with fp16 is not supported on CPU. Using `precision='bf16-mixed'` instead.",
        help="write bf16-mixed",
        source="lightning/pytorch/trainer/connectors/accelerator_connector.py, 2.6.6",
    ),
    Conflict(
        system="transformers",
        keys=("half_precision_backend",),
        severity="warning",
        when=lambda s, _: s.at("half_precision_backend", "apex"),
        says="half_precision_backend apex is gone",
        effect="TypeError: TrainingArguments.__init__() got an unexpected "
        "keyword argument 'half_precision_backend' (transformers 5)",
        help="drop it: torch's autocast is the only one",
        source="transformers/training_args.py, 5.23.0",
    ),
)
