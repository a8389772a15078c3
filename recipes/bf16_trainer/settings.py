"""Settings from three places, as SimpleTuner has them: `config.json`, environment variables, arguments.

    configs/NAME/config.json    {"optimizer": "adamw_bf16", …}
    configs/NAME/config.env     MIXED_PRECISION="bf16"                            a variable of the environment
                                TRAINER_EXTRA_ARGS="--gradient_precision=fp32"    arguments, in a variable
    train.py … --learning_rate=1e-5                                               arguments

All become arguments in this order, and the last one wins.
"""

import argparse
import json
import os
import shlex

VARIABLES = {
    "MODEL_FAMILY": "model_family",
    "MODEL_TYPE": "model_type",
    "MIXED_PRECISION": "mixed_precision",
    "OPTIMIZER": "optimizer",
    "LEARNING_RATE": "learning_rate",
    "GRADIENT_ACCUMULATION_STEPS": "gradient_accumulation_steps",
    "USE_EMA": "use_ema",
}
SWITCHES = ("gradient_checkpointing", "use_ema")
FAULTS = ("fp16-vae", "float32-norm", "half-average")


def option_parser():
    parser = argparse.ArgumentParser(description="Train Stable Diffusion 3.5 in bfloat16.")
    parser.add_argument("--config", help="a folder with config.json, config.env, or both")
    parser.add_argument("--model_family", choices=("sd3",), default="sd3")
    parser.add_argument("--model_type", choices=("full",), default="full")
    parser.add_argument("--mixed_precision", choices=("no", "fp16", "bf16"), default="bf16", help="of all weights")
    parser.add_argument("--dtype", dest="mixed_precision", type=lambda name: {"fp32": "no"}.get(name, name))
    parser.add_argument("--gradient_precision", choices=("unmodified", "fp32"), default="unmodified")
    parser.add_argument("--vae_dtype", choices=("default", "fp32", "fp16", "bf16"), default="default")
    parser.add_argument("--attention_mechanism", choices=("diffusers", "native-flash"), default="diffusers")
    parser.add_argument("--optimizer", choices=("adamw_bf16", "adamw", "adafactor", "sgd"), default="adamw_bf16")
    parser.add_argument("--learning_rate", type=float, default=3e-3)
    parser.add_argument("--train_batch_size", type=int, default=4)
    parser.add_argument("--gradient_accumulation_steps", type=int, default=1)
    parser.add_argument("--max_train_steps", "--steps", type=int, default=60)
    parser.add_argument("--validation_steps", "--sample-every", type=int, default=30)
    parser.add_argument("--ema_decay", type=float, default=0.9999)
    for switch in SWITCHES:
        parser.add_argument(f"--{switch}", type=_switch, nargs="?", const=True, default=False)
    parser.add_argument("--resume_from_checkpoint", "--resume", help="the output folder of an earlier run")
    parser.add_argument("--output_dir", "--output", default="out")
    parser.add_argument("--size", choices=("tiny", "real"), default="tiny")
    parser.add_argument("--images", type=int, default=12)
    parser.add_argument("--sampling-steps", type=int, default=4)
    parser.add_argument("--autocast", action="store_true", help="run the forward in an autocast region")
    parser.add_argument("--policy", help="hold all components to a policy of Miscast, such as bf16-true")
    parser.add_argument("--fault", action="append", default=[], choices=FAULTS, help="a mistake to bring back")
    return parser


def _switch(word):
    return str(word).lower() == "true"


def read_settings(arguments):
    """What holds, of the files, the environment and the arguments."""
    parser = option_parser()
    folder = parser.parse_args(arguments).config
    everywhere = [*_from_json(folder), *_from_environment(folder), *arguments]
    return parser.parse_args(everywhere)


def _from_json(folder):
    file = f"{folder}/config.json"
    if folder is None or not os.path.exists(file):
        return []
    with open(file) as text:
        return [f"--{key}={value}" for key, value in json.load(text).items()]


def _from_environment(folder):
    variables = dict(os.environ)
    if folder is not None and os.path.exists(f"{folder}/config.env"):
        with open(f"{folder}/config.env") as text:
            words = shlex.split(text.read(), comments=True)
        variables.update(word.split("=", 1) for word in words if "=" in word)
    named = [f"--{option}={variables[name]}" for name, option in VARIABLES.items() if name in variables]
    return [*named, *shlex.split(variables.get("TRAINER_EXTRA_ARGS", ""))]
