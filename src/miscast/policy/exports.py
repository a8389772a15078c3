"""A policy in the terms of other systems: one function per system says which settings it has, and what they lack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..core.similar import similar
from .export import Export, Lost
from .fields import PolicyError
from .spelling import short_name

if TYPE_CHECKING:
    from .policy import Policy

_SHORT: Mapping[str | None, str] = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "float32": "fp32",
}
_KEPT_COMPUTE = "outputs keep the compute dtype"
_KEPT_BUFFERS = "buffers keep their dtype"
_AS_PARAMETERS = "gradients are reduced in the parameters' dtype"
_ONE_PRECISION = "it has one precision for the whole model"


def systems() -> tuple[str, ...]:
    """Return the systems that a policy can be exported to."""
    return tuple(_SYSTEMS)


def export(policy: Policy, system: str) -> Export:
    """Return the policy for one system. Raises PolicyError for one that is not known."""
    if system not in _SYSTEMS:
        hint = similar(system, _SYSTEMS, f"expected {', '.join(_SYSTEMS)}")
        raise PolicyError(f"cannot export to {system[:40]!r}: {hint}")
    return _SYSTEMS[system](policy)


def _accelerate(policy: Policy) -> Export:
    """Return `mixed_precision`; accelerate wraps forward in autocast and returns float32.

    Arguments of `accelerate.Accelerator` (accelerate/accelerator.py, 1.15).
    """
    half = _mixed(policy)
    reasons = {
        "reduce_dtype": "DDP reduces in the parameters' dtype; a DistributedDataParallelKwargs comm_hook can narrow it",
        "buffer_dtype": _KEPT_BUFFERS,
        "overrides": _ONE_PRECISION,
    }
    if half and policy.output_dtype != "float32":
        reasons["output_dtype"] = "outputs under mixed precision are float32"
    elif not half:
        reasons["output_dtype"] = _KEPT_COMPUTE
    stored = () if half and policy.param_dtype is None else _stored(policy)
    return Export(
        system="accelerate",
        settings={"mixed_precision": _SHORT[half] if half else "no"},
        lost=(*stored, *_unlike_autocast(policy), *_lost(policy, reasons)),
        target="accelerate:Accelerator",
    )


def _deepspeed(policy: Policy) -> Export:
    """Return `bf16` or `fp16` for half weights, with float32 master weights in the engine; else `torch_autocast`.

    Sections of DeepSpeed's JSON (deepspeed/runtime/config.py and torch_autocast.py, 0.19).
    """
    half, param = _mixed(policy), policy.param_dtype
    settings: dict[str, Any] = {}
    reasons = {"output_dtype": _KEPT_COMPUTE, "overrides": _ONE_PRECISION}
    if half:
        settings["torch_autocast"] = {"enabled": True, "dtype": half}
    elif param in ("float16", "bfloat16") and _compute_of(policy) == param:
        settings[_SHORT[param]] = {"enabled": True}
    elif param != "float32":
        weights = f"weights, not {_compute_of(policy)}"
        reasons["param_dtype"] = (
            f"the engine supports float32, float16 and bfloat16 {weights}"
        )
    if policy.reduce_dtype in _SHORT:
        short = _SHORT[policy.reduce_dtype]
        settings["communication_data_type"] = short
        settings["data_types"] = {"grad_accum_dtype": short}
    else:
        reasons["reduce_dtype"] = "gradients are reduced in fp16, bf16 or fp32"
    if half:
        reasons["buffer_dtype"] = _KEPT_BUFFERS
    elif policy.buffer_dtype != param:
        reasons["buffer_dtype"] = "buffers get the dtype of the weights"
    lost = (*_lost(policy, reasons), *_unlike_autocast(policy))
    return Export(system="deepspeed", settings=settings, lost=lost)


def _fsdp(policy: Policy) -> Export:
    """Return FSDP1's `MixedPrecision` (torch/distributed/fsdp/api.py, torch 2.13)."""
    reasons = {
        "output_dtype": _KEPT_COMPUTE,
        "overrides": "wrap the module separately, with its own MixedPrecision",
    }
    buffers = {"buffer_dtype": policy.buffer_dtype or policy.param_dtype}
    return _sharded(policy, "fsdp", buffers, reasons, "MixedPrecision")


def _fsdp2(policy: Policy) -> Export:
    """Return FSDP2's `MixedPrecisionPolicy` (torch/distributed/fsdp/_fully_shard/_fsdp_api.py, torch 2.13)."""
    reasons = {
        "buffer_dtype": "fully_shard does not change buffers",
        "overrides": "call fully_shard on the module separately, with its own policy",
    }
    outputs = {"output_dtype": policy.output_dtype}
    return _sharded(policy, "fsdp2", outputs, reasons, "MixedPrecisionPolicy")


def _sharded(
    policy: Policy,
    system: str,
    own: Mapping[str, str | None],
    reasons: Mapping[str, str],
    name: str,
) -> Export:
    """Return the settings of an FSDP: its `param_dtype` is the compute dtype, which gathered parameters are cast to.

    It casts parameters and inputs instead of using autocast, so that no op runs in float32.
    """
    fields = {
        "param_dtype": _compute_of(policy),
        "reduce_dtype": policy.reduce_dtype,
        **own,
    }
    half = _mixed(policy)
    cast = (
        f"weights and inputs are cast without autocast: losses, norms and softmax inside are also computed in {half}, "
        "while autocast computes them in float32; add .float() there, or use miscast.apply before wrapping instead"
    )
    autocast = [Lost(field="compute_dtype", reason=cast)] if half else []
    return Export(
        system=system,
        settings={key: dtype for key, dtype in fields.items() if dtype},
        lost=(*_stored(policy), *autocast, *_lost(policy, reasons)),
        target=f"torch.distributed.fsdp:{name}",
    )


def _lightning(policy: Policy) -> Export:
    """Return its short name; weights, buffers and inputs are converted by Lightning.

    The `precision` of Trainer and Fabric (lightning/fabric/connector.py, 2.6).
    """
    param, compute = policy.param_dtype or "float32", _compute_of(policy)
    name = short_name(param, compute or param)
    reasons = {
        "output_dtype": "outputs keep the compute dtype, except float32 and float64 outputs under a -true precision",
        "reduce_dtype": _AS_PARAMETERS,
        "overrides": _ONE_PRECISION,
    }
    if not (name or "").endswith("-true"):
        reasons["buffer_dtype"] = _KEPT_BUFFERS
    elif policy.buffer_dtype != param:
        reasons["buffer_dtype"] = "buffers get the dtype of the parameters"
    none = f"it has no precision that stores {param} and computes in {compute}"
    unnamed = [Lost(field="compute_dtype", reason=none)] if name is None else []
    return Export(
        system="lightning",
        settings={"precision": name} if name else {},
        lost=(*unnamed, *_lost(policy, reasons)),
    )


def _transformers(policy: Policy) -> Export:
    """Return `bf16` and `fp16`: autocast over the weights as they were loaded.

    Arguments of `transformers.TrainingArguments` (transformers/training_args.py, 5.23).
    """
    half = _mixed(policy)
    reasons = {
        "output_dtype": "the trainer keeps the dtype of the model's loss",
        "reduce_dtype": _AS_PARAMETERS,
        "buffer_dtype": "buffers keep the dtype they were loaded with",
        "overrides": _ONE_PRECISION,
    }
    return Export(
        system="transformers",
        settings={"bf16": half == "bfloat16", "fp16": half == "float16"},
        lost=(*_stored(policy), *_unlike_autocast(policy), *_lost(policy, reasons)),
    )


_SYSTEMS = {
    "accelerate": _accelerate, "deepspeed": _deepspeed, "fsdp": _fsdp, "fsdp2": _fsdp2, "lightning": _lightning,
    "transformers": _transformers,
}  # fmt: skip


def _compute_of(policy: Policy) -> str | None:
    return policy.compute_dtype or policy.param_dtype


def _mixed(policy: Policy) -> str | None:
    """Return autocast's half dtype, if the policy means float32 parameters under autocast."""
    compute = _compute_of(policy)
    if compute in ("float16", "bfloat16") and policy.param_dtype in (None, "float32"):
        return compute
    return None


def _lost(policy: Policy, reasons: Mapping[str, str]) -> Iterator[Lost]:
    """Yield the given reasons for those fields that the policy sets."""
    for field, reason in reasons.items():
        if getattr(policy, field):
            yield Lost(field=field, reason=reason)


def _stored(policy: Policy) -> Iterable[Lost]:
    """Return that the system does not set the weights' dtype, if the policy names one."""
    reason = f"weights keep their dtype: convert them with miscast.apply or model.to(torch.{policy.param_dtype}) first"
    return _lost(policy, {"param_dtype": reason})


def _unlike_autocast(policy: Policy) -> Iterable[Lost]:
    """Yield that computing in another dtype than the parameters' does not correspond to any autocast."""
    param, compute = policy.param_dtype, _compute_of(policy)
    if not _mixed(policy) and param is not None and compute != param:
        reason = f"{compute} over {param} parameters is not possible with autocast"
        yield Lost(field="compute_dtype", reason=reason)
