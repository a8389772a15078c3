"""Units of modules: every entry of torch's module database, and recurrent layers, packed sequences and attention."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch import nn

from miscast.running.torch_abi import tree_flatten

from .units import Program, Unit, calling


def units() -> Iterator[Unit]:
    """Yield one for each module."""
    from torch.testing._internal.common_modules import module_db

    yield Unit("nn.recurrent", _recurrent)
    yield Unit("nn.attention", _attention)
    yield from (_unit(info) for info in module_db)


def _unit(info: Any) -> Unit:
    def programs(device: str, dtype: torch.dtype) -> Iterator[Program]:
        if not (dtype.is_floating_point or dtype in info.dtypes):
            return
        for training in (True, False) if info.train_and_eval_differ else (True,):
            # an entry that does not know the dtype
            with contextlib.suppress(Exception):
                every = info.module_inputs_func(
                    info, device, dtype, requires_grad=False, training=training
                )
                for given in every if dtype == torch.float32 else every[:2]:
                    yield from _call(info, given, device, dtype, training=training)

    return Unit(
        info.name if info.name.startswith("nn.") else f"nn.{info.name}", programs
    )


def _call(
    info: Any, given: Any, device: str, dtype: torch.dtype, *, training: bool
) -> Iterator[Program]:
    if given.forward_input is None:
        return
    made, forward = given.constructor_input, given.forward_input
    module = (
        info.module_cls(*made.args, **made.kwargs).to(device, dtype).train(training)
    )
    inputs = [
        t
        for t in tree_flatten((forward.args, forward.kwargs))[0]
        if isinstance(t, torch.Tensor)
    ]
    inputs = [t.requires_grad_() for t in inputs if t.is_floating_point()]
    yield calling(
        module, *forward.args, leaves=[*module.parameters(), *inputs], **forward.kwargs
    )


def _recurrent(device: str, dtype: torch.dtype) -> Iterator[Program]:
    if not dtype.is_floating_point:
        return
    x, lengths = torch.randn(3, 2, 4, device=device, dtype=dtype), torch.tensor([3, 2])
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths)
    yield calling(nn.utils.rnn.pack_padded_sequence, x, lengths)
    yield calling(nn.utils.rnn.pad_packed_sequence, packed)
    yield calling(nn.utils.rnn.pad_sequence, [x[0], x[0, :1]])
    hidden = torch.zeros(1, 2, 5, device=device, dtype=dtype)
    layers: tuple[Any, ...] = (
        nn.LSTM,
        nn.GRU,
        nn.RNN,
        partial(nn.RNN, nonlinearity="relu"),
    )
    for kind in layers:
        for options in (
            {},
            {"bias": False},
            {"num_layers": 2, "dropout": 0.5},
            {"bidirectional": True},
        ):
            layer = kind(4, 5, **options).to(device, dtype)
            leaves = list(layer.parameters())
            yield calling(_first, layer, x, leaves=leaves)
            yield calling(_first, layer, packed, leaves=leaves)
            if not options:
                state = (hidden, hidden.clone()) if kind is nn.LSTM else hidden
                yield calling(_first, layer, x, state, leaves=leaves)
    cells: tuple[Any, ...] = (nn.LSTMCell, nn.GRUCell, nn.RNNCell)
    for cell in cells:
        module = cell(4, 5).to(device, dtype)
        yield calling(module, x[0], leaves=list(module.parameters()))


def _first(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
    """Return the first of what a module returns; of a packed sequence, its data."""
    return module(*args, **kwargs)[0]


def _attention(device: str, dtype: torch.dtype) -> Iterator[Program]:
    if not dtype.is_floating_point:
        return
    x = torch.randn(3, 2, 8, device=device, dtype=dtype)
    padding = torch.tensor([[False, False, True], [False, False, False]], device=device)
    added = torch.zeros(3, 3, device=device, dtype=dtype)
    causal = torch.ones(3, 3, device=device, dtype=torch.bool).tril()
    options: tuple[dict[str, Any], ...] = (
        {},
        {"bias": False},
        {"add_bias_kv": True},
        {"kdim": 8, "vdim": 8},
    )
    for chosen in options:
        module = nn.MultiheadAttention(8, 2, **chosen).to(device, dtype)
        leaves = list(module.parameters())
        yield calling(_first, module, x, x, x, leaves=leaves)
        yield calling(_first, module, x, x, x, need_weights=False, leaves=leaves)
        yield calling(
            _first,
            module,
            x,
            x,
            x,
            key_padding_mask=padding,
            attn_mask=~causal,
            leaves=leaves,
        )
        yield calling(
            _first, module, x, x, x, attn_mask=added, need_weights=False, leaves=leaves
        )
        attention = nn.MultiheadAttention(8, 2, **chosen).to(device, dtype).eval()
        yield calling(_first, attention, x, x, x)
    inputs = [
        torch.randn(2, 2, 3, 8, device=device, dtype=dtype).requires_grad_()
        for _ in range(3)
    ]
    given: tuple[dict[str, Any], ...] = (
        {},
        {"attn_mask": added},
        {"attn_mask": causal},
        {"is_causal": True},
        {"dropout_p": 0.1},
    )
    for one in given:
        yield calling(
            nn.functional.scaled_dot_product_attention, *inputs, leaves=inputs, **one
        )
