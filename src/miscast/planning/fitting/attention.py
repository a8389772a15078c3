"""The kernels that attention takes in a step, and why not flash; the switch of transformers' models to torch's own.

>>> Attention(find("v100")).shown()
[{"kernel": "efficient", "why": "flash needs an Ampere GPU or newer", "times": 140, "weights": 0}]
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ...vm.fused_kernels import attention_kernel

if TYPE_CHECKING:
    import torch

    from ...core.machines import Machine
    from ...vm.call import Call

EAGER, TORCHS = "eager", "sdpa"


class Attention:
    """One run's inputs of `scaled_dot_product_attention`, after autocast."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._now: Counter[tuple[str, str]] = Counter()
        self._step: Counter[tuple[str, str]] = Counter()
        self._weights: Counter[tuple[str, str]] = Counter()

    def __call__(self, call: Call) -> None:
        """Record one call. The kernels of devices other than CUDA's are not known."""
        if call.device is None or call.device.type != "cuda":
            return
        given = dict(call.given())
        query, key, value = given["query"], given["key"], given["value"]
        mask = given.get("attn_mask")
        kernel = attention_kernel(
            self._machine,
            (query, key, value),
            mask,
            enable_gqa=bool(given.get("enable_gqa")),
        )
        row = (kernel, "" if kernel == "flash" else self._why(query, mask))
        self._now[row] += 1
        if kernel == "math":
            size = query[..., 0].numel() * key.shape[-2] * query.element_size()
            self._weights[row] = max(self._weights[row], size)

    def _why(self, query: torch.Tensor, mask: Any) -> str:
        if (self._machine.capability or (0, 0)) < (8, 0):
            return "flash needs an Ampere GPU or newer"
        if query.element_size() != 2:
            return f"flash does not support {str(query.dtype)[6:]}"
        return "flash does not support a mask" if mask is not None else ""

    def stepped(self) -> None:
        """Finish a step."""
        self._step, self._now = self._now, Counter()

    def shown(self) -> list[dict[str, Any]]:
        """Return the kernels of the last step, or of a run without one; `weights`: bytes of the largest in math."""
        return [
            {"kernel": row[0], "why": row[1], "times": n, "weights": self._weights[row]}
            for row, n in (self._step or self._now).most_common()
        ]


def state(model: Any) -> str:
    """Return what a model of transformers attends with; "" of any other, and where torch's own cannot be set."""
    said = getattr(getattr(model, "config", None), "_attn_implementation", None)
    able = hasattr(model, "set_attn_implementation")
    if said == EAGER and not (able and getattr(model, "_supports_sdpa", False)):
        return ""
    return str(said or "")


def switch(model: Any) -> None:
    """Switch a model from its own attention to torch's; does nothing if it has no such switch."""
    if state(model) == EAGER:
        model.set_attn_implementation(TORCHS)
