"""apex: its fused norms and optimizers, as torch's of the same arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .judge import Judge

PACKAGE, VERSION = "apex", "0.1"


class _Fused(torch.nn.Module):
    """The arguments of apex's norms."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        **_: Any,
    ) -> None:
        super().__init__(
            normalized_shape, eps=eps, elementwise_affine=elementwise_affine
        )


class _Mixed(torch.nn.Module):
    """Takes an input of any dtype; the result has the weight's."""

    weight: Any

    def forward(self, input: torch.Tensor) -> Any:  # noqa: A002 - apex's name
        return super().forward(input.to(self.weight.dtype))


class FusedLayerNorm(_Fused, torch.nn.LayerNorm):
    """The kernel wants input and weight of one dtype; under autocast both get autocast's, and so does the result."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:  # noqa: A002 - torch's name
        """Compute the norm as apex/normalization/fused_layer_norm.py does."""
        x, weight, bias = _as_autocast(input, self.weight, self.bias)
        with torch.autocast("cuda", enabled=False):
            return F.layer_norm(x, self.normalized_shape, weight, bias, self.eps)


class MixedFusedLayerNorm(_Mixed, FusedLayerNorm):
    """LayerNorm of any dtype."""


class FusedRMSNorm(_Fused, torch.nn.RMSNorm):
    """The same without a mean."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Compute the norm as apex/normalization/fused_layer_norm.py does."""
        x, weight = _as_autocast(x, self.weight)
        with torch.autocast("cuda", enabled=False):
            return F.rms_norm(x, self.normalized_shape, weight, self.eps)


class MixedFusedRMSNorm(_Mixed, FusedRMSNorm):
    """LayerNorm of any dtype."""


def _as_autocast(*tensors: Any) -> Any:
    if not torch.is_autocast_enabled("cuda"):
        return tensors
    dtype = torch.get_autocast_dtype("cuda")
    return [None if tensor is None else tensor.to(dtype) for tensor in tensors]


class FusedAdam(torch.optim.AdamW):
    """AdamW, unless `adam_w_mode` is False; the state is the same."""

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        bias_correction: bool = True,
        betas: Any = (0.9, 0.999),
        eps: float = 1e-8,
        adam_w_mode: bool = True,
        weight_decay: float = 0.0,
        **_: Any,
    ) -> None:
        """Accept apex's arguments."""
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)


class FusedLAMB(FusedAdam):
    """Its state is Adam's."""


class FusedSGD(torch.optim.SGD):
    """With what else apex's takes left out."""

    def __init__(
        self,
        params: Any,
        lr: float,
        momentum: float = 0,
        weight_decay: float = 0,
        **_: Any,
    ) -> None:
        """Accept apex's arguments."""
        super().__init__(params, lr=lr, momentum=momentum, weight_decay=weight_decay)


def modules(judge: Judge) -> Mapping[str, Mapping[str, Any]]:
    """Return the norms and optimizers."""
    norms = {
        one.__name__: one
        for one in (
            FusedLayerNorm,
            MixedFusedLayerNorm,
            FusedRMSNorm,
            MixedFusedRMSNorm,
        )
    }
    optimizers = {one.__name__: one for one in (FusedAdam, FusedLAMB, FusedSGD)}
    function = {"fused_layer_norm": F.layer_norm, "fused_rms_norm": F.rms_norm}
    return {
        "apex": {},
        "apex.normalization": norms,
        "apex.normalization.fused_layer_norm": {**norms, **function},
        "apex.optimizers": optimizers,
    }
