"""Read from an op's schema what the shadow must know: what it writes, whether it is a view, or random."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import torch

from ...running.torch_abi import OpOverload, has_kernel

_RANDOM = frozenset({"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "resize",
                     "empty_permuted", "native_dropout", "rrelu_with_noise"})  # fmt: skip
_DISCRETE = frozenset({"round", "floor", "ceil", "trunc", "sign", "sgn", "remainder", "fmod", "frac", "heaviside",
                       "floor_divide", "quantize_per_tensor", "fake_quantize_per_tensor_affine"})  # fmt: skip
_CHOSEN = frozenset({"sort", "topk", "max", "min", "median", "nanmedian", "kthvalue", "cummax", "cummin",
                     "mode"})  # fmt: skip
_DROPOUT = "dropout_p"
_COMPOSITE = "CompositeImplicitAutograd"
_BACKENDS = ("CPU", "CUDA")
"""Backends. An op with a kernel of its own there, such as `silu_backward`, runs that kernel."""
_FOREACH = "_foreach_"
_OTHER_MEMORY = "set"
"""Gives a tensor other memory, as `copy.deepcopy` does, and computes nothing."""
_STATISTICS = ("running_mean", "running_var")
# what their schemas do not say
_BATCH_NORMS = ("native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm")
_ALSO_WRITES = {**dict.fromkeys(_BATCH_NORMS, _STATISTICS), _OTHER_MEMORY: ()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`op` is the name that people know: `add` for `aten._foreach_add_.List`.

    `writes` are the arguments that it changes. `may_draw`: at random only if its `dropout_p` is not 0. `steps`: its
    results jump where its arguments hardly change, so that the shadow takes them over from the real run; `chooses`:
    which elements it gives is the real run's choice. `opens`: it is made of other ops, which `inference_mode` does not
    say by itself.
    """

    op: str
    arguments: tuple[str, ...]
    writes: tuple[str, ...]
    is_view: bool
    is_random: bool
    may_draw: bool
    steps: bool
    chooses: bool
    many: bool
    opens: bool


@cache
def plan_of(func: OpOverload) -> Plan:
    """Return the plan of an op."""
    schema = func._schema
    name = schema.name.partition("::")[2]
    op = name.removeprefix(_FOREACH)
    op = op.removesuffix("_") if schema.is_mutable else op
    arguments = tuple(one.name for one in schema.arguments)
    aliased = [(one.name, one.alias_info) for one in schema.arguments if one.alias_info]
    said = tuple(one for one, alias in aliased if alias.is_write)
    writes = _ALSO_WRITES.get(op, said)
    draws = torch.Tag.nondeterministic_seeded in func.tags or op in _RANDOM
    return Plan(
        op=op,
        arguments=arguments,
        writes=writes,
        is_view=bool(aliased and not writes),
        is_random=draws and _DROPOUT not in arguments,
        may_draw=draws and _DROPOUT in arguments,
        steps=op in _DISCRETE,
        chooses=op in _CHOSEN,
        many=name.startswith(_FOREACH),
        opens=_opens(func.name()),
    )


def _opens(name: str) -> bool:
    own = any(has_kernel(name, key) for key in _BACKENDS)
    return has_kernel(name, _COMPOSITE) and not own
