"""Which op the innermost frames of a traceback tell: torch's own functions and modules, else the code that is shown.

    torch/nn/functional.py, in layer_norm            the function is the op
    torch/nn/modules/conv.py:310, in forward         the module; of a file with several, by line
    torch/optim/adamw.py, in _single_tensor_adamw    optimizer.step
    torch/_decomp/decompositions.py, in addmm        what is taken apart, not its parts

Most tracebacks that people paste have no code lines, so file, function and line number have to do.
"""

from __future__ import annotations

import re
from itertools import takewhile

from .frame import Frame
from .module_lines import module_at
from .operation import extension, named
from .opnames import NAMES

_MODULES = {
    "modules/linear.py": "linear",
    "modules/conv.py": "conv2d",
    "modules/batchnorm.py": "batch_norm",
    "modules/normalization.py": "layer_norm",
    "modules/sparse.py": "embedding",
    "modules/rnn.py": "lstm",
    "modules/activation.py": "multi_head_attention",
    "modules/padding.py": "pad",
    "modules/upsampling.py": "interpolate",
    "modules/pooling.py": "max_pool2d",
    "modules/distance.py": "cosine_similarity",
    "modules/dropout.py": "dropout",
    "modules/instancenorm.py": "instance_norm",
    "modules/loss.py": "",
    "data/sampler.py": "randperm",
    "amp/grad_scaler.py": "GradScaler",
}
"""What the modules of a file are, unless the line tells of another."""
CLASSES = {
    "Linear": "linear",
    "Bilinear": "bilinear",
    "Conv1d": "conv1d",
    "Conv2d": "conv2d",
    "Conv3d": "conv3d",
    "ConvTranspose1d": "conv_transpose1d",
    "ConvTranspose2d": "conv_transpose2d",
    "ConvTranspose3d": "conv_transpose3d",
    "LayerNorm": "layer_norm",
    "GroupNorm": "group_norm",
    "RMSNorm": "rms_norm",
    "BatchNorm1d": "batch_norm",
    "BatchNorm2d": "batch_norm",
    "BatchNorm3d": "batch_norm",
    "_BatchNorm": "batch_norm",
    "SyncBatchNorm": "batch_norm",
    "InstanceNorm1d": "instance_norm",
    "InstanceNorm2d": "instance_norm",
    "LSTM": "lstm",
    "GRU": "gru",
    "RNN": "rnn",
    "LSTMCell": "lstm_cell",
    "GRUCell": "gru_cell",
    "RNNCell": "rnn_cell",
    "Embedding": "embedding",
    "EmbeddingBag": "embedding_bag",
    "MultiheadAttention": "multi_head_attention",
    "MSELoss": "mse_loss",
    "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "CrossEntropyLoss": "cross_entropy",
    "NLLLoss": "nll_loss",
    "L1Loss": "l1_loss",
    "SmoothL1Loss": "smooth_l1_loss",
    "KLDivLoss": "kl_div",
    "PReLU": "prelu",
    "Upsample": "interpolate",
    "CTCLoss": "ctc_loss",
    "CosineEmbeddingLoss": "cosine_embedding_loss",
    "HuberLoss": "huber_loss",
    "Softmax": "softmax",
    "GELU": "gelu",
}
_CALL = re.compile(
    r"\b(?:torch|F|functional|nn\.functional|th)\.(?:nn\.functional\.|linalg\.|special\.|fft\.)?(\w{2,40})\("
)
_METHOD = re.compile(
    r"\.(matmul|mm|bmm|addmm|baddbmm|add_?|sub_?|mul_?|div_?|masked_fill_?|index_put_?|scatter_?|scatter_add_?|gather|cat|"
    r"index_add_?|index_copy_?|clamp_?|lerp_?|copy_|mean|numpy|backward|multinomial|normal_|einsum|eq|where|"
    r"masked_scatter_?|index_select|softmax|sum|pow|addcmul_?|addcdiv_?|index_fill_?|quantile|cumsum|topk)\("
)
_NOT_OPS = frozenset({
    "tensor", "device", "cuda", "no_grad", "is_tensor", "float", "load", "autocast",
    "compile", "dtype", "Size", "jit", "checkpoint", "zeros", "ones", "arange", "empty",
    "from_numpy", "as_tensor", "is_grad_enabled", "get_default_dtype", "zeros_like",
    "ones_like", "inference_mode", "manual_seed", "save", "Tensor",
})  # fmt: skip
_FUNCTIONS = NAMES | {
    "multi_head_attention_forward",
    "scaled_dot_product_attention",
    "one_hot",
    "pad",
    "normalize",
    "unfold",
    "fold",
    "cross_entropy",
    "gaussian_nll_loss",
    "max_pool2d",
    "max_pool1d",
    "max_pool3d",
    "gumbel_softmax",
    "interpolate",
    "grid_sample",
    "multilabel_soft_margin_loss",
    "mse_loss",
    "clip_grad_norm_",
    "trunc_normal_",
    "kaiming_uniform_",
    "xavier_uniform_",
    "xavier_normal_",
    "kaiming_normal_",
    "orthogonal_",
}
_WRITTEN = {
    "backward": "backward",
    "_engine_run_backward": "backward",
    "batched_nms": "nms",
    "_batched_nms_vanilla": "nms",
    "_batched_nms_coordinate_trick": "nms",
    "nms": "nms",
    "__rsub__": "sub",
    "__rdiv__": "div",
    "__rtruediv__": "div",
    "__rpow__": "pow",
    "__contains__": "eq",
    "__array__": "Tensor.numpy()",
    "__iter__": "unbind",
    "__rmatmul__": "matmul",
    "__rfloordiv__": "floor_divide",
}
"""Functions of torch and torchvision whose op is called otherwise."""
_COLLECTIVES = (
    "all_reduce", "all_gather_into_tensor", "all_gather", "reduce_scatter_tensor",
    "reduce_scatter", "broadcast", "all_to_all_single", "all_to_all", "isend", "irecv",
    "send", "recv", "barrier", "scatter", "gather", "reduce",
)  # fmt: skip
_PIECES = re.compile("/(?:_decomp|_refs|_meta_registrations|_prims|_inductor)")
"""Where ops are taken apart into others."""
_TORCH = ("torch", "torchvision")
_EXTENSIONS = ("torch_scatter", "torch_sparse", "torch_cluster", "torch_spline_conv")
_OPTIMIZERS = re.compile(
    r"^(?!.*(?:lr_scheduler|grad_scaler)).*"
    r"(?:optim|adam|lion|prodigy|adafactor|lamb|came\b|muon|galore|dadapt|shampoo|schedulefree|sophia)"
)
_STEP = re.compile(
    r"_*(?:(?:step|adamw|adam|sgd|adagrad|rmsprop|adadelta|adamax|nadam|radam|rprop)_*$"
    r"|single_tensor_|multi_tensor_|fused_|step_)"
)
_OWN_FUNCTIONS = (
    (re.compile("_flatten_dense_tensors"), "cat"),
    (re.compile("^layer_norm"), "layer_norm"),
    (re.compile("^group_norm"), "group_norm"),
    (re.compile("^batch_norm"), "batch_norm"),
    (re.compile("^cross_entropy$"), "cross_entropy"),
    (re.compile("^nll_loss$"), "nll_loss"),
    (re.compile("one_?hot"), "scatter"),
)
"""Functions of programs that are named after what they do."""
_DEEP = 6


def op_of_frames(frames: tuple[Frame, ...]) -> str:
    """The op of the innermost frames, "": torch's own, up to the first that is not, whose code is read."""
    for end in range(len(frames), max(0, len(frames) - _DEEP), -1):
        frame = frames[end - 1]
        told = _step(frame) or (
            _of_torch(frames[:end]) if frame.library in _TORCH else _of_code(frame)
        )
        if told or frame.library not in _TORCH:
            return told
    return ""


def collective(frames: tuple[Frame, ...]) -> str:
    """The collective that was called, "" where no frame names one."""
    functions = (frame.function.strip("_") for frame in reversed(frames))
    return next((function for function in functions if function in _COLLECTIVES), "")


def op_of_code(code: str) -> str:
    """The op that a line of code calls last or most tellingly."""
    calls = [
        call
        for call in _CALL.findall(code)
        if call not in _NOT_OPS and call[0].islower()
    ]
    if calls:
        return named(calls[0])
    methods = _METHOD.findall(code)
    if methods:
        return "Tensor.numpy()" if methods[-1] == "numpy" else named(methods[-1])
    return "matmul" if " @ " in code else ""


def _of_torch(frames: tuple[Frame, ...]) -> str:
    """What the innermost frame, one of torch's own, tells of the op."""
    readers = (_of_class, _taken_apart, _of_function, _of_process_group, _of_module)
    return next(filter(None, (read(frames) for read in readers)), "")


def _of_class(frames: tuple[Frame, ...]) -> str:
    """Of "Linear.forward", as Python 3.11 tells it."""
    owner, _, method = frames[-1].function.rpartition(".")
    return CLASSES.get(owner.rpartition(".")[2], "") if method == "forward" else ""


def _taken_apart(frames: tuple[Frame, ...]) -> str:
    """The outermost of the frames that take an op apart: of `addmm` made of `add`, the first."""
    if not _PIECES.search(frames[-1].path):
        return ""
    inside = takewhile(lambda frame: frame.library == "torch", reversed(frames))
    functions = [
        frame.method.removeprefix("meta_").strip("_")
        for frame in inside
        if _PIECES.search(frame.path)
    ]
    return next(
        (named(function) for function in reversed(functions) if function in NAMES), ""
    )


def _of_function(frames: tuple[Frame, ...]) -> str:
    method = frames[-1].method
    if method in _WRITTEN:
        return _WRITTEN[method]
    known = method in _FUNCTIONS or method.rstrip("_") in NAMES
    return named(method) if known and frames[-1].base != "module.py" else ""


def _of_process_group(frames: tuple[Frame, ...]) -> str:
    return collective(frames[-3:]) if frames[-1].base == "distributed_c10d.py" else ""


def _of_module(frames: tuple[Frame, ...]) -> str:
    """A module's op; of a file with several, the one whose lines these are."""
    usual = _MODULES.get("/".join(frames[-1].path.split("/")[-2:]))
    return "" if usual is None else CLASSES.get(module_at(frames), usual)


def _step(frame: Frame) -> str:
    """Told of a line of an optimizer's step, torch's or another's, and not of its wrapper or scheduler."""
    return (
        "optimizer.step"
        if _OPTIMIZERS.search(frame.path.lower()) and _STEP.match(frame.method)
        else ""
    )


def _of_code(frame: Frame) -> str:
    """What a frame outside of torch tells: the code that it shows, else the names of its function and file."""
    if frame.library.startswith(_EXTENSIONS) and frame.function not in (
        "forward",
        "__init__",
        "<module>",
    ):
        return frame.function
    by_name = (op for form, op in _OWN_FUNCTIONS if form.search(frame.method))
    return (
        op_of_code(frame.code)
        or next(by_name, "")
        or extension(frame.base)
        or extension(frame.method)
    )
