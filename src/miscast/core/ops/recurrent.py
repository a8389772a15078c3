"""Recurrent layers and their cells."""

from __future__ import annotations

from .op import Op

OPS = (
    Op(name="lstm", begins="cudnn_rnn", modules="LSTM", file="modules/rnn.py"),
    Op(name="gru", modules="GRU"),
    Op(name="rnn", ours=True, modules="RNN"),
    Op(name="lstm_cell", aliases="fused_lstm_cell", begins="differentiable_lstm_cell", modules="LSTMCell"),
    Op(name="gru_cell", aliases="fused_gru_cell", begins="differentiable_gru_cell", modules="GRUCell"),
    Op(name="rnn_cell", ours=True, modules="RNNCell"),
)
