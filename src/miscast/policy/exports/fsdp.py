"""Arguments of FSDP1's `MixedPrecision` (torch/distributed/fsdp/api.py, torch 2.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..export import Export
from ..terms import cast_not_autocast, compute_of, lost, stored

if TYPE_CHECKING:
    from ..policy import Policy


def export(policy: Policy) -> Export:
    """Return its `param_dtype` is what gathered parameters are cast to.

    This policy's compute_dtype, without an autocast.
    """
    fields = {
        "param_dtype": compute_of(policy),
        "reduce_dtype": policy.reduce_dtype,
        "buffer_dtype": policy.buffer_dtype or policy.param_dtype,
    }
    reasons = {
        "output_dtype": "outputs keep the compute dtype",
        "overrides": "wrap the module separately, with its own MixedPrecision",
    }
    return Export(
        system="fsdp",
        settings={key: dtype for key, dtype in fields.items() if dtype},
        lost=(*stored(policy), *cast_not_autocast(policy), *lost(policy, reasons)),
        target="torch.distributed.fsdp:MixedPrecision",
    )
