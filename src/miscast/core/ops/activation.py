"""Activations and dropout."""

from __future__ import annotations

from .op import Op

OPS = (
    Op(name="softmax", aliases="host_softmax vec_softmax", begins="masked_softmax softmax",
       kernels={"host_softmax": "cuda", "softmax_lastdim_kernel_impl": "cpu"}, modules="Softmax", methods="softmax",
       half_but_on_cpu=True),
    Op(name="log_softmax", aliases="vec_log_softmax_lastdim", kernels={"vec_log_softmax_lastdim_chunk_kernel": "cpu"},
       layers="logsoftmax"),
    Op(name="gelu", aliases="geluc", modules="GELU", half_but_on_cpu=True),
    Op(name="logsigmoid", aliases="log_sigmoid", modules="LogSigmoid", functions="logsigmoid"),
    Op(name="relu", layers="threshold"),
    Op(name="prelu", modules="PReLU"),
    Op(name="dropout", schemas="native_dropout", kernels={"fused_dropout": "cuda"}, file="modules/dropout.py"),
)
