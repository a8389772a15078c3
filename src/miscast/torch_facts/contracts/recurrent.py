"""Recurrent layers and cells: input, state and all weights of one dtype; sequence lengths on the CPU."""

from .contract import INDEX, LONG, Contract

_LAYERS = ("aten.lstm", "aten.gru", "aten.rnn_tanh", "aten.rnn_relu")
_PACKED = tuple(f"{op}.data" for op in _LAYERS)
_CELLS = ("aten.gru_cell", "aten.rnn_tanh_cell", "aten.rnn_relu_cell")
_MM = "mat1 and mat2 must have the same dtype, but got {odd} and {like}"
_CUDNN = (
    "Input and parameter tensors are not the same dtype, found input tensor with {odd} and parameter tensor with {like}"
)
_HIDDEN = "Input and hidden tensors are not the same dtype, found input tensor with {%s} and hidden tensor with {hx}"

CONTRACTS = (
    Contract(ops=_LAYERS, same=(("params", "input", "hx"),), on=("cpu",), source="measured on CPU, torch 2.13"),
    Contract(
        ops=_LAYERS, same=(("params", "input", "hx"),), error=_CUDNN, errors={("input", "hx"): _HIDDEN % "input"},
        device_error=(("Input and parameter tensors are not at the same device, found input tensor at {input.device} "
        "and parameter tensor at {params.device}"),
        ("Input and hidden tensors are not at the same device, found input tensor at {input.device} and hidden tensor "
        "at {hx.device}")),
        source="ATen/native/RNN.cpp check_attributes",
    ),
    Contract(
        ops=_PACKED, same=(("params", "data", "hx"),), only={"batch_sizes": INDEX}, on_cpu=("batch_sizes",),
        on=("cpu",), error=_MM, source="measured on CPU, torch 2.13",
    ),
    Contract(
        ops=_PACKED, same=(("params", "data", "hx"),), only={"batch_sizes": LONG}, on_cpu=("batch_sizes",),
        error=_CUDNN, errors={("data", "hx"): _HIDDEN % "data"}, source="ATen/native/RNN.cpp check_attributes",
    ),
    Contract(
        ops=("aten.lstm_cell",), same=(("w_ih", "w_hh", "b_ih", "b_hh", "input", "hx[0]"),), error=_MM,
        source="measured on CPU, torch 2.13: the cell state, hx[1], is added and promotes",
    ),
    Contract(
        ops=_CELLS, same=(("w_ih", "w_hh", "b_ih", "b_hh", "input", "hx"),), error=_MM,
        source="measured on CPU, torch 2.13; ATen/native/RNN.cpp lstm_cell -> linear",
    ),
    Contract(
        ops=("aten._thnn_fused_lstm_cell", "aten._thnn_fused_gru_cell"),
        same=(("input_gates", "hidden_gates", "cx", "hx", "input_bias", "hidden_bias"),),
        source="ATen/native/cuda/RNN.cu checkSameType",
    ),
    Contract(
        ops=("aten._pack_padded_sequence",), only={"lengths": LONG}, on_cpu=("lengths",),
        errors={
            ("lengths",): "'lengths' argument should be a 1D CPU int64 tensor, but got 1D {odd.device} {odd} tensor"
        },
        source="measured on CPU, torch 2.13; ATen/native/PackedSequence.cpp _pack_padded_sequence",
    ),
    Contract(
        ops=("aten._pad_packed_sequence",), only={"batch_sizes": LONG}, on_cpu=("batch_sizes",),
        source="measured on CPU, torch 2.13; ATen/native/PackedSequence.cpp _pad_packed_sequence",
    ),
    Contract(
        ops=("aten.mkldnn_rnn_layer",), same=(("weight0", "weight1", "input", "hx_"),),
        kernels=("float32", "bfloat16", "float16"),
        source="measured on CPU, torch 2.13: oneDNN checks neither the biases nor the cell state",
    ),
    Contract(
        ops=("aten.mkldnn_rnn_layer_backward",), same=(("weight1", "weight2", "input", "hx_", "grad_output"),),
        source="measured on CPU, torch 2.13",
    ),
)
