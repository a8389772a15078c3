"""Calls to judge by: those that torch's operator database makes, and by hand those of listed ops that it lacks."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache
from itertools import islice
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db

from .measure import IMPLICIT, KEYSET, Call, Watch, name_of

aten = torch.ops.aten


def _r(*shape: int) -> torch.Tensor:
    return torch.rand(shape)


def _cell(gates: int) -> tuple[Any, ...]:
    return _r(2, 4), _r(gates * 3, 4), _r(gates * 3, 3), _r(gates * 3), _r(gates * 3)


def _layers(gates: int) -> list[torch.Tensor]:
    return [_r(gates * 3, 4), _r(gates * 3, 3), _r(gates * 3), _r(gates * 3)]


def _networks() -> tuple[tuple[Any, tuple[Any, ...]], ...]:
    conv2 = (_r(2, 3, 8, 8), _r(4, 3, 3, 3), _r(4), [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    flags = (False, False, True)
    steps, state, end = _r(5, 1, 4), _r(1, 1, 3), (True, 1, 0.0, False, False, False)
    return (
        (aten._convolution.default, (*conv2, *flags, True)),
        (aten._convolution.deprecated, (*conv2, *flags)),
        (aten.convolution.default, conv2),
        (aten.conv1d.default, (_r(2, 3, 8), _r(4, 3, 3), _r(4))),
        (aten.conv1d.padding, (_r(2, 3, 8), _r(4, 3, 3), _r(4), [1], "same")),
        (aten.conv2d.padding, (_r(2, 3, 8, 8), _r(4, 3, 3, 3), _r(4), [1, 1], "same")),
        (aten.conv3d.default, (_r(2, 3, 5, 5, 5), _r(4, 3, 3, 3, 3), _r(4))),
        (aten.conv3d.padding, (_r(2, 3, 5, 5, 5), _r(4, 3, 3, 3, 3), _r(4), [1, 1, 1], "same")),
        (aten.conv_tbc.default, (_r(8, 2, 3), _r(3, 3, 4), _r(4))),
        (aten.cudnn_convolution.default, (_r(2, 3, 8, 8), _r(4, 3, 3, 3), [0, 0], [1, 1], [1, 1], 1, *flags)),
        (aten.cudnn_convolution_transpose.default,
         (_r(2, 3, 8, 8), _r(3, 4, 3, 3), [0, 0], [0, 0], [1, 1], [1, 1], 1, *flags)),
        (aten._mps_convolution.default, (_r(2, 3, 8, 8), _r(4, 3, 3, 3), _r(4), [0, 0], [1, 1], [1, 1], 1)),
        (aten._addmm_activation.default, (_r(4), _r(2, 3), _r(3, 4))),
        (aten.chain_matmul.default, ([_r(2, 3), _r(3, 4), _r(4, 2)],)),
        (aten.lstm_cell.default, (_r(2, 4), [_r(2, 3), _r(2, 3)], *_cell(4)[1:])),
        (aten.gru_cell.default, (_r(2, 4), _r(2, 3), *_cell(3)[1:])),
        (aten.rnn_tanh_cell.default, (_r(2, 4), _r(2, 3), *_cell(1)[1:])),
        (aten.rnn_relu_cell.default, (_r(2, 4), _r(2, 3), *_cell(1)[1:])),
        (aten._thnn_fused_lstm_cell.default, (_r(2, 12), _r(2, 12), _r(2, 3), _r(12), _r(12))),
        (aten._thnn_fused_gru_cell.default, (_r(2, 9), _r(2, 9), _r(2, 3), _r(9), _r(9))),
        (aten.lstm.input, (steps, [state, state], _layers(4), *end)),
        (aten.gru.input, (steps, state, _layers(3), *end)),
        (aten.rnn_tanh.input, (steps, state, _layers(1), *end)),
        (aten.mkldnn_rnn_layer.default,
         (_r(5, 1, 4), *_layers(4), _r(1, 3), _r(1, 3), False, [], 2, 3, 1, True, False, False, True)),
        (aten._native_multi_head_attention.default,
         (*[_r(2, 5, 8)] * 3, 8, 2, _r(24, 8), _r(24), _r(8, 8), _r(8))),
        (aten._scaled_dot_product_flash_attention.default, (*[_r(2, 2, 8, 16)] * 3,)),
        (aten.scaled_dot_product_attention.default, (*[_r(2, 2, 8, 16)] * 3,)),
    )  # fmt: skip


def _arithmetic() -> tuple[tuple[Any, tuple[Any, ...]], ...]:
    return (
        (aten.upsample_nearest2d.default, (_r(2, 3, 4, 4), [8, 8])),
        (aten.upsample_nearest3d.default, (_r(2, 3, 4, 4, 4), [8, 8, 8])),
        (aten._upsample_nearest_exact2d.default, (_r(2, 3, 4, 4), [8, 8])),
        (aten._upsample_nearest_exact3d.default, (_r(2, 3, 4, 4, 4), [8, 8, 8])),
        (aten._upsample_bicubic2d_aa.default, (_r(2, 3, 4, 4), [8, 8], False)),
        (aten.nll_loss2d.default, (_r(2, 3, 4, 4), torch.zeros(2, 4, 4, dtype=torch.long), _r(3))),
        (aten.norm.Scalar, (_r(4, 4),)),
        (aten.norm.ScalarOpt_dim, (_r(4, 4), 2, [0])),
        (aten.norm.ScalarOpt_dim, (_r(4, 4), None, [0], True)),
        (aten.nuclear_norm.default, (_r(4, 4),)),
        (aten.nuclear_norm.dim, (_r(4, 4), [0, 1])),
        (aten.frobenius_norm.dim, (_r(4, 4), [0, 1])),
        (aten.linalg_matrix_norm.default, (_r(4, 4), 1)),
        (aten.linalg_matrix_norm.str_ord, (_r(4, 4), "fro")),
        (aten.log_softmax.int, (_r(4, 4), 0)),
        (aten.pow.Scalar, (2.0, _r(4))),
        (aten.bilinear.default, (_r(2, 3), _r(2, 4), _r(5, 3, 4), _r(5))),
        (aten._grid_sampler_2d_cpu_fallback.default, (_r(2, 3, 4, 4), _r(2, 5, 5, 2), 0, 0, False)),
        (aten.fake_quantize_per_tensor_affine.default, (_r(4), 0.1, 0, -8, 7)),
        (aten.inverse.default, (_r(3, 3) + torch.eye(3),)),
        (aten.linalg_cond.p_str, (_r(3, 3) + torch.eye(3), "fro")),
        (aten.linalg_matrix_rank.default, (_r(3, 3), 0.1)),
        (aten.linalg_matrix_rank.atol_rtol_float, (_r(3, 3),)),
        (aten.linalg_matrix_rank.tol_tensor, (_r(3, 3), _r(1).squeeze())),
        (aten.quantile.default, (_r(4), _r(2))),
        (aten.nanquantile.default, (_r(4), _r(2))),
        (aten.orgqr.default, (_r(4, 3), _r(3))),
        (aten.reflection_pad2d.default, (_r(2, 3, 4, 4), [1, 1, 1, 1])),
        (aten.replication_pad3d.default, (_r(2, 3, 4, 4, 4), [1] * 6)),
        (aten.sum.dim_IntList, (_r(4, 4), [0])),
        (aten.roll.default, (_r(4, 4), [1], [0])),
        (aten._chunk_cat.default, ([_r(4, 4), _r(4, 4)], 0, 2)),
        (aten.isin.Tensor_Tensor, (_r(4), _r(200))),
        (aten.linalg_matrix_exp.default, (_r(3, 3),)),
        (aten.unique_dim.default, (_r(4, 4), 0)),
        (aten.unique_dim_consecutive.default, (_r(4, 4), 0)),
        (aten.unique_consecutive.default, (_r(4, 4), False, False, 0)),
        (aten.batch_norm.default, (_r(2, 3, 4), _r(3), _r(3), _r(3), _r(3), True, 0.1, 1e-5, False)),
    )  # fmt: skip


@cache
def calls(watch: Watch, each: int = 2) -> Mapping[str, list[Call]]:
    """Calls by op, `each` per op at most: as many as op_db makes of its first samples, float32, on CPU."""
    torch.manual_seed(0)
    found: dict[str, list[Call]] = {}

    def keep(op: Any, *args: Any, **kwargs: Any) -> Any:
        name = name_of(op)
        changes = op._schema.is_mutable or "out" in kwargs
        if not changes and len(found.setdefault(name, [])) < each:
            found[name].append((op, args, kwargs))
        if torch._C._dispatch_has_kernel_for_dispatch_key(op.name(), IMPLICIT):
            return op._op_dk(IMPLICIT, *args, **kwargs)
        with torch._C._ExcludeDispatchKeyGuard(KEYSET):
            return op(*args, **kwargs)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = [
            (entry, sample)
            for entry in op_db
            if torch.float32 in entry.dtypes and "sparse" not in entry.name and "jiterator" not in entry.name
            # not entry.sample_inputs(): it walks the whole stack of callers for each op, half a minute under pytest
            for sample in islice(entry.sample_inputs_func(entry, "cpu", torch.float32, False), each)
        ]
        with watch.on(keep):
            for entry, sample in samples:
                entry(sample.input, *sample.args, **sample.kwargs)
    for op, args in (*_networks(), *_arithmetic()):
        found.setdefault(name_of(op), []).insert(0, (op, args, {}))
    return {name: made[:each] for name, made in found.items() if made}
