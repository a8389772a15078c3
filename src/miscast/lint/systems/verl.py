"""verl: Hydra overrides of `verl.trainer.main_ppo`, or a YAML: the actor's FSDP and the rollout's server."""

from __future__ import annotations

from collections.abc import Iterator

from ..deciding import chosen
from ..facts import Facts, Updates
from ..run import Run
from ..setting import named_dtype
from ..system import Key, Number, System, Text
from ..table import Cell, Component, frozen, trained
from ..view import View
from . import vllm

_ENGINE = "verl/trainer/config/engine/fsdp.yaml, 0.10"
_ROLLOUT = "verl/trainer/config/rollout/rollout.yaml, 0.10"
_NAMED = "RuntimeError: unexpected precision: {value}"
_DTYPES = (None, "fp16", "float16", "half", "fp32", "float32", "float", "bf16", "bfloat16", 16, 32, "16", "32")
_ACTOR = "actor_rollout_ref.actor.fsdp_config"
_FSDP = (_ACTOR, "actor_rollout_ref.ref.fsdp_config", "critic.model.fsdp_config")

KEYS = (
    *(
        Key(name=f"{part}.model_dtype", allowed=_DTYPES, default="fp32", rejects=_NAMED,
            means="the weights, also the optimizer's",
            source=f"{_ENGINE}; verl/utils/torch_dtypes.py PrecisionType.to_dtype")
        for part in _FSDP
    ),
    *(
        Key(name=f"{part}.dtype", allowed=_DTYPES, default="bfloat16", rejects=_NAMED,
            means="FSDP's compute dtype", source=_ENGINE)
        for part in _FSDP
    ),
    Key(name="actor_rollout_ref.rollout.dtype", allowed=vllm.DTYPES, default="bfloat16",
        rejects="ValueError of vLLM: Unknown dtype: {value}", source=_ROLLOUT),
    Text(name="actor_rollout_ref.rollout.name", default="vllm", source=_ROLLOUT),
    Number(name="actor_rollout_ref.actor.optim.lr", default=1e-6, source="verl/trainer/config/optim/fsdp.yaml, 0.10"),
    Text(name="actor_rollout_ref.actor.strategy", default="fsdp", source="verl/trainer/config/actor/actor.yaml"),
)


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the actor under FSDP, and the copy that generates."""
    # a strategy in "$@" is assumed not to be given
    if view.text("actor_rollout_ref.actor.strategy") in ("", "fsdp", "fsdp2"):
        weights = chosen(view, f"{_ACTOR}.model_dtype", of="verl")
        compute = chosen(view, f"{_ACTOR}.dtype", of="verl")
        reduced = Cell(value="float32", why="default of verl (mixed_precision.reduce_dtype)")
        yield trained("actor", weights=weights, autocast=compute, reduction=reduced)
    rollout = chosen(view, "actor_rollout_ref.rollout.dtype", of="verl")
    yield frozen("rollout", weights=rollout, autocast=Cell(value="off", why="a server runs in its weights' dtype"))


def bfloat16_without_masters(view: View) -> Updates | None:
    """Return the settings of bfloat16 weights, which the optimizer updates; the compute dtype does not matter."""
    given = view.given(f"{_ACTOR}.model_dtype")
    if given is None or named_dtype(given.value) != "bfloat16":
        return None
    return Updates(dtype=given, rate=view.given("actor_rollout_ref.actor.optim.lr"))


SYSTEM = System(
    name="verl", title="verl", version="0.10", source=f"{_ENGINE}; {_ROLLOUT}", keys=KEYS,
    marks=(("actor_rollout_ref.",),), programs=("verl.trainer.main_ppo", "main_ppo.py", "verl.trainer.main_generation"),
    effective=effective, facts=Facts(bfloat16_without_masters=bfloat16_without_masters),
)
