"""NeMo Automodel: a recipe's YAML, with `--key value` behind `automodel`; FSDP2 casts by `distributed.mp_policy`."""

from __future__ import annotations

from collections.abc import Iterator

from ..checkpoint import checkpoint
from ..conflict import Conflict
from ..deciding import chosen, switched
from ..facts import Facts
from ..messages import UNSCALED
from ..run import FLOAT8, Run
from ..system import Key, Switch, System, Text
from ..table import Cell, Component, frozen, trained
from ..view import View

_DTYPES = "nemo_automodel/shared/utils.py dtype_from_str, 0.5.0"
_POLICY = "distributed.mp_policy"
_CONFIG = "nemo_automodel/components/distributed/config.py FSDP2Config, 0.5.0"
_FP8 = "nemo_automodel/components/quantization/fp8.py, 0.5.0"
_UNKNOWN = "KeyError: Unknown dtype string: {value}"
_WORDS = ("float", "float32", "float64", "double", "float16", "half", "bfloat16")
_ALLOWED = (None, "bf16", *_WORDS, *(f"torch.{word}" for word in _WORDS))
_CAST = ("param_dtype", "reduce_dtype", "output_dtype")
_DEFAULTS = {"param_dtype": "bfloat16", "reduce_dtype": "float32", "output_dtype": "bfloat16"}

KEYS = (
    Key(name="model.torch_dtype", allowed=("auto", *_ALLOWED), default="auto", rejects=_UNKNOWN,
        means="the weights and, with torch's optimizers, their states", source=_DTYPES),
    Text(name="model.pretrained_model_name_or_path", source=_DTYPES),
    *(
        Key(name=f"{_POLICY}.{name}", allowed=_ALLOWED, default=_DEFAULTS[name], rejects=_UNKNOWN,
            means=f"FSDP2's {name}", source=f"{_CONFIG}; nemo_automodel/recipes/_dist_utils.py")
        for name in _CAST
    ),
    Key(name="distributed.autocast_dtype", allowed=_ALLOWED, rejects=_UNKNOWN, means="autocast around the forward",
        source=_CONFIG),
    Text(name="distributed.strategy", default="fsdp2", source="nemo_automodel/recipes/_dist_utils.py, 0.5.0"),
    Text(name="optimizer._target_", source="the recipe's optimizer"),
    Text(name="optimizer.exp_avg_dtype", source="transformer_engine.pytorch.optimizers.FusedAdam"),
    Text(name="model._target_", source="the recipe's model"),
    Text(name="peft._target_", source="nemo_automodel/components/_peft/lora.py, 0.5.0"),
    Text(name="peft.lora_dtype", source="nemo_automodel/components/_peft/lora.py, 0.5.0"),
    Switch(name="quantization.load_in_4bit", source="nemo_automodel/components/quantization/qlora.py, 0.5.0"),
    Switch(name="fp8.enabled", means="float8 products by torchao", source=_FP8),
    Key(name="fp8.recipe_name", allowed=(None, "tensorwise", "rowwise", "rowwise_with_gw_hp"), source=_FP8),
    Switch(name="fp8.enable_fsdp_float8_all_gather", source=_FP8),
    Switch(name="fp8.precompute_float8_dynamic_scale_for_fsdp", source=_FP8),
    Switch(name="fp8.emulate", source=_FP8),
)  # fmt: skip


def _chosen(view: View, key: str, otherwise: Cell) -> Cell:
    """Return the dtype that a key is set to, or another if it is not set."""
    return chosen(view, key) if view.given(key) else otherwise


def _alone(run: Run) -> bool:
    """Check whether the model runs on one GPU, which FSDP2 leaves as it is (fsdp2.py parallelize, 0.5.0)."""
    return run.machine is not None and run.machine.count == 1


def _is_cast(view: View, key: str) -> bool:
    """Check whether a dtype is known, and is not the one in which FSDP2's policy computes."""
    return chosen(view, key).value not in ("auto", chosen(view, f"{_POLICY}.param_dtype").value)


def _policy_is_skipped(view: View, run: Run) -> bool:
    sharded = view.at("distributed.strategy", "fsdp2") and view.given(f"{_POLICY}.param_dtype") is not None
    return _alone(run) and sharded and _is_cast(view, "model.torch_dtype")


def _raises_frozen_modules(view: View, run: Run) -> bool:
    """Check whether frozen modules are cast to the policy's dtype, and those with an adapter are not (FSDP2 would)."""
    adapter = view.given("peft._target_") is not None and not view.on("quantization.load_in_4bit")
    plain = view.given("distributed.autocast_dtype") is None
    return _alone(run) and adapter and plain and _is_cast(view, "model.torch_dtype")


def _widens_outputs(view: View, run: Run) -> bool:
    """Check whether the last layer hands on another dtype than the head has, which is no unit of its own."""
    sharded = view.at("distributed.strategy", "fsdp2") and view.given(f"{_POLICY}.output_dtype") is not None
    plain = view.given("distributed.autocast_dtype") is None
    return not _alone(run) and sharded and plain and _is_cast(view, f"{_POLICY}.output_dtype")


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the model, or the adapter and its base, as FSDP2's policy computes it; other strategies have none."""
    weights, target = chosen(view, "model.torch_dtype"), view.given("optimizer._target_")
    if weights.value == "auto":
        why = "the checkpoint's dtype, bfloat16 if it has none"
        weights = checkpoint(view, "model.pretrained_model_name_or_path", by=weights.by, why=why)
    why = "FSDP2's policy casts"
    flags, computed = {}, switched(view, {"fp8.enabled": "float8"})
    if _alone(run):
        why = "on one GPU FSDP2 and its policy are skipped"
        flags = {"compute": computed} if computed else {}
    elif view.at("distributed.strategy", "fsdp2"):
        param, reduced, outputs = (chosen(view, f"{_POLICY}.{name}") for name in _CAST)
        flags = {"compute": computed or param, "reduction": reduced, "outputs": outputs}
    else:
        why = "only FSDP2 has a policy"
    autocast = _chosen(view, "distributed.autocast_dtype", Cell(value="off", why=why))
    if view.text("optimizer._target_").endswith("fusedadam"):
        default = Cell(value="float32", by=target, why="TE's default")
        flags["states"] = _chosen(view, "optimizer.exp_avg_dtype", default)
    if view.given("peft._target_") is None:
        yield trained("model", weights=weights, autocast=autocast, **flags)
        return
    yield trained("adapter", weights=_chosen(view, "peft.lora_dtype", weights), autocast=autocast, **flags)
    base = switched(view, {"quantization.load_in_4bit": "nf4"}) or weights
    yield frozen(
        "base model", weights=base, autocast=autocast, compute=flags.get("compute"), outputs=flags.get("outputs")
    )  # fmt: skip


SYSTEM = System(
    name="automodel", title="NeMo Automodel", version="0.5.0",
    source=f"{_CONFIG}; {_DTYPES}; docs/guides/mixed-precision-training.mdx",
    keys=KEYS,
    others=frozenset("recipe dist_env.backend loss_fn._target_ dataset._target_ dataloader._target_ checkpoint.enabled "
                     "rng.seed packed_sequence.packed_sequence_size compile.enabled optimizer.lr".split()),
    marks=(("recipe", "step_scheduler."), ("step_scheduler.", "model._target_", "distributed.strategy")),
    programs=("automodel", "nemo_automodel"),
    facts=Facts(own_program=True),
    effective=effective,
)  # fmt: skip

CONFLICTS = (
    *(
        Conflict(
            rule="float16-without-loss-scaling", severity="warning", keys=(key,),
            when=lambda s, _, key=key: s.text(key).removeprefix("torch.") in ("float16", "half"),  # type: ignore[misc]
            says=f"{key} is float16, and NeMo Automodel has no grad scaler",
            effect=UNSCALED,
            help="use bfloat16",
            source="nemo_automodel, 0.5.0: no GradScaler",
        )
        for key in ("model.torch_dtype", f"{_POLICY}.param_dtype", "distributed.autocast_dtype")
    ),
    Conflict(
        rule="setting-has-no-effect", severity="warning", keys=(f"{_POLICY}.param_dtype",),
        when=_policy_is_skipped,
        says=f"{_POLICY}.param_dtype on one GPU, where NeMo Automodel skips FSDP2",
        effect="silent: the model computes in the dtype of its weights",
        help="set model.torch_dtype, or use several GPUs",
        source="nemo_automodel/components/distributed/fsdp2.py FSDP2Manager.parallelize, 0.5.0",
    ),
    Conflict(
        rule="half-model-given-float32", keys=("peft._target_", "model.torch_dtype"), when=_raises_frozen_modules,
        says="an adapter on {1} weights on one GPU: NeMo Automodel casts only frozen modules to mp_policy.param_dtype",
        effect="RuntimeError: expected mat1 and mat2 to have the same dtype, but got: c10::BFloat16 != float",
        help="set model.torch_dtype to distributed.mp_policy.param_dtype (bfloat16 by default)",
        source="nemo_automodel/components/models/common/utils.py cast_frozen_modules_to_compute_dtype, 0.5.0",
    ),
    Conflict(
        rule="half-model-given-float32", keys=(f"{_POLICY}.output_dtype",), when=_widens_outputs,
        says="distributed.mp_policy.output_dtype {0} is not param_dtype, and distributed.autocast_dtype is not set",
        effect="RuntimeError: expected mat1 and mat2 to have the same dtype, but got: float != c10::BFloat16",
        help="set distributed.autocast_dtype: bfloat16, or output_dtype as param_dtype",
        source=_CONFIG,
    ),
    Conflict(
        rule="fp8-not-available", keys=("fp8.enabled",),
        when=lambda s, run: run.lacks(*FLOAT8) and s.on("fp8.enabled") and not s.on("fp8.emulate"),
        says="fp8.enabled on a machine without float8 products",
        effect="ValueError: FP8 is only supported on SM89 or later GPUs (H100+).", help="switch fp8 off", source=_FP8,
    ),
    Conflict(
        rule="setting-has-no-effect", severity="warning", keys=("fp8.precompute_float8_dynamic_scale_for_fsdp",),
        when=lambda s, _: (
            s.on("fp8.enabled")
            and s.on("fp8.precompute_float8_dynamic_scale_for_fsdp")
            and not (s.at("fp8.recipe_name", "tensorwise") and s.on("fp8.enable_fsdp_float8_all_gather"))
        ),
        says="fp8.precompute_float8_dynamic_scale_for_fsdp without recipe tensorwise and a float8 all-gather",
        effect="silent: scales are not computed in advance",
        help="set fp8.recipe_name: tensorwise and fp8.enable_fsdp_float8_all_gather: true", source=_FP8,
    ),
    Conflict(
        rule="setting-has-no-effect", severity="warning", keys=("fp8.enable_fsdp_float8_all_gather",),
        when=lambda s, _: (
            s.on("fp8.enabled")
            and s.on("fp8.enable_fsdp_float8_all_gather")
            and s.at("fp8.recipe_name", "rowwise", "rowwise_with_gw_hp")
        ),
        says="fp8.enable_fsdp_float8_all_gather with a recipe by rows, which sets it itself",
        effect="silent: torchao's recipe gathers in the weights' dtype",
        help="use fp8.recipe_name: tensorwise, or drop the key",
        source=f"{_FP8}; torchao/float8/config.py from_recipe_name",
    ),
)
