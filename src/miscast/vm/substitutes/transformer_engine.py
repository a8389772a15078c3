"""Transformer Engine: its layers as transformer_engine/pytorch/module has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

from .transformer_engine_fp8 import RECIPES, REGIONS, check_shapes, is_fp8_available

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .judge import Judge

PACKAGE, VERSION = "transformer_engine", "2.19.0"
_ACTIVATIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "gelu": F.gelu, "relu": F.relu, "silu": F.silu, "geglu": F.gelu, "reglu": F.relu, "swiglu": F.silu,
    "qgelu": F.gelu, "qgeglu": F.gelu, "srelu": lambda x: F.relu(x).square(),
}  # fmt: skip


class _Layer(torch.nn.Module):
    """Parameters of one dtype, that of the input unless autocast is on; inputs on a GPU."""

    judge: Judge

    normalization = "LayerNorm"

    def _affine(
        self, name: str, rows: int, columns: int, bias: bool, **given: Any
    ) -> None:
        """Create the parameters of a product, `given` dtype and device."""
        self._param(
            f"{name}weight", torch.empty(rows, columns, **given).normal_(std=0.02)
        )
        if bias:
            self._param(f"{name}bias", torch.zeros(rows, **given))

    def _norm(self, name: str, sizes: Sequence[int], eps: float, **given: Any) -> None:
        """Create the parameters of a norm."""
        self.eps = eps
        self._param(f"{name}weight", torch.ones(*sizes, **given))
        if self.normalization != "RMSNorm":
            self._param(f"{name}bias", torch.zeros(*sizes, **given))

    def _param(self, name: str, made: torch.Tensor) -> None:
        self.register_parameter(name, torch.nn.Parameter(made))

    def _prepared(self, x: torch.Tensor, *names: str) -> list[Any]:
        """Return the input and parameters, in the dtype of the product."""
        if not x.is_cuda:
            raise RuntimeError(
                f"TransformerEngine needs CUDA. Got input on device: {x.device}"
            )
        named = {name: getattr(self, name, None) for name in names}
        there = {name: p for name, p in named.items() if p is not None}
        if torch.is_autocast_enabled("cuda"):
            dtype = torch.get_autocast_dtype("cuda")
            fitted = [t.to(dtype) for t in (x, *there.values())]
        else:
            text = "Data types for parameters must match when outside of autocasted region. Found input dtype: {} and "
            differs = {
                name: text.format(x.dtype) + f"{name!r} dtype: {p.dtype}"
                for name, p in there.items()
            }
            fitted = self.judge.fitted(
                type(self).__name__,
                {"input": x, **there},
                differs=differs,
                raises="TypeError",
            )
        found = dict(zip(there, fitted[1:], strict=True))
        return [fitted[0], *(found.get(name) for name in names)]


def _product(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None
) -> torch.Tensor:
    check_shapes(x, weight)
    with torch.autocast("cuda", enabled=False):
        return F.linear(x, weight, bias)


def _normal(
    kind: str,
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    eps: float,
) -> torch.Tensor:
    with torch.autocast("cuda", enabled=False):
        if kind == "RMSNorm":
            return F.rms_norm(x, tuple(weight.shape), weight, eps)
        return F.layer_norm(x, tuple(weight.shape), weight, bias, eps)


class Linear(_Layer):
    """`y = x W^T + b`."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        *_: Any,
        bias: bool = True,
        return_bias: bool = False,
        params_dtype: torch.dtype | None = None,
        device: Any = "cuda",
        **__: Any,
    ) -> None:
        """Accept Transformer Engine's arguments; those for parallelism are ignored."""
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.return_bias = return_bias
        given = {"dtype": params_dtype, "device": device}
        self._affine("", out_features, in_features, bias, **given)

    def forward(self, inp: torch.Tensor, *_: Any, **__: Any) -> Any:
        """Return the product, and with `return_bias` the bias beside it."""
        x, weight, bias = self._prepared(inp, "weight", "bias")
        if self.return_bias:
            return (_product(x, weight, None), bias)
        return _product(x, weight, bias)


class LayerNormLinear(_Layer):
    """A norm and a product."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        eps: float = 1e-5,
        *_: Any,
        bias: bool = True,
        normalization: str = "LayerNorm",
        params_dtype: torch.dtype | None = None,
        return_layernorm_output: bool = False,
        device: Any = "cuda",
        **__: Any,
    ) -> None:
        """Accept Transformer Engine's arguments."""
        super().__init__()
        self.return_layernorm_output = return_layernorm_output
        self.normalization = normalization
        given = {"dtype": params_dtype, "device": device}
        self._norm("layer_norm_", [in_features], eps, **given)
        self._affine("", out_features, in_features, bias, **given)

    def forward(self, inp: torch.Tensor, *_: Any, **__: Any) -> Any:
        """Return the product, and with `return_layernorm_output` what it was of."""
        names = ("layer_norm_weight", "layer_norm_bias", "weight", "bias")
        x, scale, shift, weight, bias = self._prepared(inp, *names)
        normed = _normal(self.normalization, x, scale, shift, self.eps)
        out = _product(normed, weight, bias)
        return (out, normed) if self.return_layernorm_output else out


class LayerNormMLP(_Layer):
    """A norm, and two products with an activation between."""

    def __init__(
        self,
        hidden_size: int,
        ffn_hidden_size: int,
        eps: float = 1e-5,
        *_: Any,
        bias: bool = True,
        normalization: str = "LayerNorm",
        activation: str = "gelu",
        params_dtype: torch.dtype | None = None,
        device: Any = "cuda",
        **__: Any,
    ) -> None:
        """Accept Transformer Engine's arguments."""
        super().__init__()
        self.activation = activation
        self.normalization = normalization
        gated = activation.endswith("glu") and activation != "glu"
        wide = ffn_hidden_size * (2 if gated else 1)
        given = {"dtype": params_dtype, "device": device}
        self._norm("layer_norm_", [hidden_size], eps, **given)
        self._affine("fc1_", wide, hidden_size, bias, **given)
        self._affine("fc2_", hidden_size, ffn_hidden_size, bias, **given)

    def forward(self, inp: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
        """Return what the second product gives."""
        names = (
            "layer_norm_weight", "layer_norm_bias", "fc1_weight", "fc1_bias", "fc2_weight", "fc2_bias",
        )  # fmt: skip
        x, scale, shift, first, first_bias, second, second_bias = self._prepared(
            inp, *names
        )
        hidden = _product(
            _normal(self.normalization, x, scale, shift, self.eps), first, first_bias
        )
        if hidden.shape[-1] != second.shape[-1]:
            gate, hidden = hidden.chunk(2, dim=-1)
            hidden = _ACTIVATIONS[self.activation](gate) * hidden
        else:
            hidden = _ACTIVATIONS[self.activation](hidden)
        return _product(hidden, second, second_bias)


class LayerNorm(_Layer):
    """The input is cast to the weight's dtype, or to autocast's."""

    def __init__(
        self,
        normalized_shape: Any = None,
        eps: float = 1e-5,
        *_: Any,
        params_dtype: torch.dtype | None = None,
        hidden_size: int | None = None,
        dtype: torch.dtype | None = None,
        device: Any = "cuda",
        **__: Any,
    ) -> None:
        """Accept Transformer Engine's arguments."""
        super().__init__()
        shape = normalized_shape if normalized_shape is not None else hidden_size
        sizes = (shape,) if isinstance(shape, int) else tuple(shape or ())
        self._norm("", sizes, eps, dtype=dtype or params_dtype, device=device)

    def forward(self, inp: torch.Tensor) -> torch.Tensor:
        """Normalize an input of any dtype."""
        weight: Any = self.weight
        under = torch.is_autocast_enabled("cuda")
        dtype = torch.get_autocast_dtype("cuda") if under else weight.dtype
        bias: Any = getattr(self, "bias", None)
        return _normal(
            self.normalization,
            inp.to(dtype),
            weight.to(dtype),
            None if bias is None else bias.to(dtype),
            self.eps,
        )


class RMSNorm(LayerNorm):
    """The same without a mean."""

    normalization = "RMSNorm"


class DotProductAttention(torch.nn.Module):
    """Attention of heads, which come out as one dimension."""

    def __init__(
        self,
        num_attention_heads: int,
        kv_channels: Any,
        num_gqa_groups: int | None = None,
        attention_dropout: float = 0.0,
        qkv_format: str = "sbhd",
        attn_mask_type: str = "causal",
        *_: Any,
        **__: Any,
    ) -> None:
        """Accept Transformer Engine's arguments."""
        super().__init__()
        self.dropout = attention_dropout
        self.qkv_format = qkv_format
        self.causal = "causal" in attn_mask_type

    def forward(
        self,
        query_layer: Any,
        key_layer: Any,
        value_layer: Any,
        attention_mask: Any = None,
        qkv_format: str | None = None,
        *_: Any,
        **__: Any,
    ) -> torch.Tensor:
        """Compute attention of [s, b, h, d] or [b, s, h, d]."""
        order = (
            (1, 2, 0, 3) if (qkv_format or self.qkv_format) == "sbhd" else (0, 2, 1, 3)
        )
        q, k, v = (t.permute(*order) for t in (query_layer, key_layer, value_layer))
        with torch.autocast("cuda", enabled=False):
            out = F.scaled_dot_product_attention(
                q,
                k,
                v,
                dropout_p=self.dropout if self.training else 0.0,
                is_causal=self.causal,
                enable_gqa=q.shape[1] != k.shape[1],
            )
        back = (2, 0, 1, 3) if order[0] else (0, 2, 1, 3)
        return out.permute(*back).flatten(2)


def _layers(judge: Judge) -> dict[str, Any]:
    """Return the layers, including those composed of others."""
    plain = (Linear, LayerNormLinear, LayerNormMLP, LayerNorm, RMSNorm)
    made: dict[str, Any] = {
        kind.__name__: type(kind.__name__, (kind,), {"judge": judge}) for kind in plain
    }

    class TransformerLayer(torch.nn.Module):
        """Self-attention and a feed-forward net, each around a residual."""

        def __init__(
            self,
            hidden_size: int,
            ffn_hidden_size: int,
            num_attention_heads: int,
            num_gqa_groups: int | None = None,
            layernorm_epsilon: float = 1e-5,
            hidden_dropout: float = 0.1,
            attention_dropout: float = 0.1,
            *_: Any,
            self_attn_mask_type: str = "causal",
            params_dtype: torch.dtype | None = None,
            bias: bool = True,
            activation: str = "gelu",
            normalization: str = "LayerNorm",
            device: Any = "cuda",
            attn_input_format: str = "sbhd",
            **__: Any,
        ) -> None:
            super().__init__()
            given: dict[str, Any] = {
                "params_dtype": params_dtype,
                "bias": bias,
                "normalization": normalization,
                "device": device,
            }
            self.heads = num_attention_heads
            self.groups = num_gqa_groups or num_attention_heads
            self.width = hidden_size // num_attention_heads
            self.hidden_dropout = hidden_dropout
            both = (self.heads + 2 * self.groups) * self.width
            self.layernorm_qkv = made["LayerNormLinear"](
                hidden_size, both, layernorm_epsilon, **given
            )
            self.core_attention = DotProductAttention(
                num_attention_heads,
                self.width,
                num_gqa_groups,
                attention_dropout,
                attn_input_format,
                self_attn_mask_type,
            )
            self.proj = made["Linear"](
                hidden_size,
                hidden_size,
                bias=bias,
                params_dtype=params_dtype,
                device=device,
            )
            self.layernorm_mlp = made["LayerNormMLP"](
                hidden_size,
                ffn_hidden_size,
                layernorm_epsilon,
                activation=activation,
                **given,
            )

        def forward(
            self, hidden_states: torch.Tensor, *_: Any, **__: Any
        ) -> torch.Tensor:
            mixed = self.layernorm_qkv(hidden_states).unflatten(-1, (-1, self.width))
            q, k, v = mixed.split([self.heads, self.groups, self.groups], dim=-2)
            attended = self.proj(self.core_attention(q, k, v))
            hidden = hidden_states + F.dropout(
                attended, self.hidden_dropout, self.training
            )
            return hidden + F.dropout(
                self.layernorm_mlp(hidden), self.hidden_dropout, self.training
            )

    return {
        **made,
        "DotProductAttention": DotProductAttention,
        "TransformerLayer": TransformerLayer,
    }


def modules(judge: Judge) -> Mapping[str, Mapping[str, Any]]:
    """Return what models and trainers use."""
    return {
        "transformer_engine": {},
        "transformer_engine.common": {},
        "transformer_engine.common.recipe": RECIPES,
        "transformer_engine.pytorch": {**_layers(judge), **REGIONS},
        "transformer_engine.pytorch.fp8": {
            **REGIONS,
            "check_fp8_support": lambda: is_fp8_available(True),
        },
    }
