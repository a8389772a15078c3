"""Which op the innermost frames of a traceback tell: torch's own functions and modules, else the code that is shown.

    torch/nn/functional.py, in layer_norm            the function is the op
    torch/nn/modules/conv.py:310, in forward         the module; of a file with several, by line
    torch/optim/adamw.py, in _single_tensor_adamw    optimizer.step
    torch/_decomp/decompositions.py, in addmm        what is taken apart, not its parts

Most tracebacks that people paste have no code lines, so file, function and line number have to do.
"""

from __future__ import annotations

import re

from .frame import Frame
from .operation import extension, named
from .opnames import NAMES

_MODULES = {
    "linear.py": "linear", "conv.py": "conv2d", "batchnorm.py": "batch_norm", "normalization.py": "layer_norm",
    "sparse.py": "embedding", "rnn.py": "lstm", "activation.py": "multi_head_attention", "sampler.py": "randperm",
    "grad_scaler.py": "GradScaler", "padding.py": "pad", "upsampling.py": "interpolate", "pooling.py": "max_pool2d",
    "distance.py": "cosine_similarity", "dropout.py": "dropout", "lora.py": "linear",
    "instancenorm.py": "instance_norm",
}  # fmt: skip
_LINES = {
    "normalization.py": ((235, 340, "group_norm"), (380, 440, "rms_norm")),
    "conv.py": (
        (250, 320, "conv1d"), (357, 386, "conv1d"), (570, 620, "conv3d"), (703, 736, "conv3d"),
        (785, 800, "conv_transpose1d"), (948, 960, "conv_transpose2d"), (965, 1010, "conv_transpose1d"),
        (1142, 1210, "conv_transpose2d"), (1327, 1392, "conv_transpose3d"),
    ),
    "loss.py": (
        (900, 920, "cross_entropy"), (955, 965, "cross_entropy"), (1045, 1049, "cross_entropy"),
        (1115, 1125, "cross_entropy"), (1145, 1190, "cross_entropy"), (1290, 1303, "cross_entropy"),
        (1395, 1410, "cross_entropy"), (720, 736, "binary_cross_entropy_with_logits"),
        (820, 828, "binary_cross_entropy_with_logits"),
    ),
}  # fmt: skip
"""Where the modules of one file have their `forward`, torch 1.8 to 2.15."""
_RNN_LINES = {
    False: (
        (160, 300, "rnn"), (500, 815, "lstm"), (816, 960, "gru"), (961, 1080, "lstm_cell"), (1081, 1250, "gru_cell"),
    ),
    True: ((500, 720, "rnn"), (740, 1135, "lstm"), (1136, 1430, "gru")),
}  # fmt: skip
"""Before torch 2.1, and since."""
_CLASSES = {
    "Linear": "linear", "Bilinear": "bilinear", "Conv1d": "conv1d", "Conv2d": "conv2d", "Conv3d": "conv3d",
    "ConvTranspose1d": "conv_transpose1d", "ConvTranspose2d": "conv_transpose2d", "ConvTranspose3d": "conv_transpose3d",
    "LayerNorm": "layer_norm", "GroupNorm": "group_norm", "RMSNorm": "rms_norm", "BatchNorm1d": "batch_norm",
    "BatchNorm2d": "batch_norm", "BatchNorm3d": "batch_norm", "_BatchNorm": "batch_norm", "SyncBatchNorm": "batch_norm",
    "InstanceNorm1d": "instance_norm", "InstanceNorm2d": "instance_norm", "LSTM": "lstm", "GRU": "gru", "RNN": "rnn",
    "LSTMCell": "lstm_cell", "GRUCell": "gru_cell", "RNNCell": "rnn_cell", "Embedding": "embedding",
    "EmbeddingBag": "embedding_bag", "MultiheadAttention": "multi_head_attention", "MSELoss": "mse_loss",
    "BCELoss": "binary_cross_entropy", "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "CrossEntropyLoss": "cross_entropy", "NLLLoss": "nll_loss", "L1Loss": "l1_loss", "SmoothL1Loss": "smooth_l1_loss",
    "KLDivLoss": "kl_div", "PReLU": "prelu", "Upsample": "interpolate", "CTCLoss": "ctc_loss",
    "CosineEmbeddingLoss": "cosine_embedding_loss", "HuberLoss": "huber_loss", "Softmax": "softmax", "GELU": "gelu",
}  # fmt: skip
_SINCE_1_6 = frozenset({"_call_impl", "_wrapped_call_impl", "_conv_forward"})
_CALL = re.compile(
    r"\b(?:torch|F|functional|nn\.functional|th)\.(?:nn\.functional\.|linalg\.|special\.|fft\.)?(\w{2,40})\("
)
_METHOD = re.compile(
    r"\.(matmul|mm|bmm|addmm|baddbmm|add_?|sub_?|mul_?|div_?|masked_fill_?|index_put_?|scatter_?|scatter_add_?|gather|cat|"
    r"index_add_?|index_copy_?|clamp_?|lerp_?|copy_|mean|numpy|backward|multinomial|normal_|einsum|eq|where|"
    r"masked_scatter_?|index_select|softmax|sum|pow|addcmul_?|addcdiv_?|index_fill_?|quantile|cumsum|topk)\("
)
_NOT_OPS = frozenset({
    "tensor", "device", "cuda", "no_grad", "is_tensor", "float", "load", "autocast", "compile", "dtype", "Size", "jit",
    "checkpoint", "zeros", "ones", "arange", "empty", "from_numpy", "as_tensor", "is_grad_enabled", "get_default_dtype",
    "zeros_like", "ones_like", "inference_mode", "manual_seed", "save", "Tensor",
})  # fmt: skip
_FUNCTIONS = NAMES | {
    "multi_head_attention_forward", "scaled_dot_product_attention", "one_hot", "pad", "normalize", "unfold", "fold",
    "cross_entropy", "gaussian_nll_loss", "max_pool2d", "max_pool1d", "max_pool3d", "gumbel_softmax", "interpolate",
    "grid_sample", "multilabel_soft_margin_loss", "mse_loss", "clip_grad_norm_", "trunc_normal_", "kaiming_uniform_",
    "xavier_uniform_", "xavier_normal_", "kaiming_normal_", "orthogonal_",
}  # fmt: skip
_WRITTEN = {
    "__rsub__": "sub", "__rdiv__": "div", "__rtruediv__": "div", "__rpow__": "pow", "__contains__": "eq",
    "__array__": "Tensor.numpy()", "__iter__": "unbind", "__rmatmul__": "matmul", "__rfloordiv__": "floor_divide",
}  # fmt: skip
_COLLECTIVES = (
    "all_reduce", "all_gather_into_tensor", "all_gather", "reduce_scatter_tensor", "reduce_scatter", "broadcast",
    "all_to_all_single", "all_to_all", "isend", "irecv", "send", "recv", "barrier", "scatter", "gather", "reduce",
)  # fmt: skip
_PIECES = ("_decomp", "_refs", "_meta_registrations", "_prims", "_prims_common", "_inductor")
_EXTENSIONS = ("torch_scatter", "torch_sparse", "torch_cluster", "torch_spline_conv")
_STEPS = ("step", "adamw", "adam", "sgd", "adagrad", "rmsprop", "adadelta", "adamax", "nadam", "radam", "rprop")
_OPTIMIZERS = re.compile(
    r"optim|adam|lion|prodigy|adafactor|lamb|came\b|muon|galore|dadapt|shampoo|schedulefree|sophia"
)


def op_of_frames(frames: tuple[Frame, ...]) -> str:
    """The op of the innermost frames, "" where they do not tell."""
    for index in range(len(frames) - 1, max(-1, len(frames) - 7), -1):
        frame = frames[index]
        if _steps(frame):
            return "optimizer.step"
        if frame.library in ("torch", "torchvision"):
            told = _of_torch(frames, index)
            if told:
                return told
            continue
        if frame.library.startswith(_EXTENSIONS) and frame.function not in ("forward", "__init__", "<module>"):
            return frame.function
        return _of_code(frame)
    return ""


def collective(frames: tuple[Frame, ...]) -> str:
    """The collective that was called, "" where no frame names one."""
    functions = [frame.function for frame in reversed(frames)]
    return next((call for function in functions for call in _COLLECTIVES if function.strip("_") == call), "")


def op_of_code(code: str) -> str:
    """The op that a line of code calls last or most tellingly."""
    calls = [call for call in _CALL.findall(code) if call not in _NOT_OPS and call[0].islower()]
    if calls:
        return named(calls[0])
    methods = _METHOD.findall(code)
    if methods:
        return "Tensor.numpy()" if methods[-1] == "numpy" else named(methods[-1])
    return "matmul" if " @ " in code else ""


def since_2_1(frames: tuple[Frame, ...]) -> bool:
    """Whether the frames are of torch 2.1 or newer: there a module's call goes through `_wrapped_call_impl`."""
    return any("_wrapped_call_impl" in frame.function for frame in frames)


def _of_torch(frames: tuple[Frame, ...], index: int) -> str:
    frame = frames[index]
    path = frame.file.replace("\\", "/")
    file = path.rpartition("/")[2]
    owner, _, function = frame.function.rpartition(".")
    if function == "forward" and owner.rpartition(".")[2] in _CLASSES:  # Python 3.11 names the class
        return _CLASSES[owner.rpartition(".")[2]]
    if any(f"/{piece}" in path for piece in _PIECES):
        return _taken_apart(frames, index)
    if function in ("backward", "_engine_run_backward"):
        return "backward"
    if function in _WRITTEN:
        return _WRITTEN[function]
    if file != "module.py" and (function in _FUNCTIONS or function.rstrip("_") in NAMES):
        return named(function)
    if file == "distributed_c10d.py":
        return collective(frames[: index + 1][-3:])
    if ((file in _MODULES or file in _LINES) and "modules" in path) or file in ("sampler.py", "grad_scaler.py"):
        return _of_module(frames, frame, file)
    if function in ("nms", "batched_nms", "_batched_nms_vanilla", "_batched_nms_coordinate_trick"):
        return "nms"
    return ""


def _of_module(frames: tuple[Frame, ...], frame: Frame, file: str) -> str:
    """A module's op; of a file with several, the one whose lines these are."""
    if file == "rnn.py" and frame.line is not None:
        told = [op for low, high, op in _RNN_LINES[since_2_1(frames)] if low <= frame.line <= high]
        return told[0] if told else "lstm"
    if frame.line is not None and (file != "conv.py" or any(f.function in _SINCE_1_6 for f in frames)):
        for low, high, op in _LINES.get(file, ()):
            if low <= frame.line <= high:
                return op
    return _MODULES.get(file, "")


def _taken_apart(frames: tuple[Frame, ...], index: int) -> str:
    """The outermost of the frames that take an op apart: of `addmm` made of `add`, the first."""
    told = ""
    for frame in reversed(frames[: index + 1]):
        path = frame.file.replace("\\", "/")
        if frame.library != "torch":
            break
        function = frame.function.removeprefix("meta_").removeprefix("_").rstrip("_")
        if any(f"/{piece}" in path for piece in _PIECES) and function in NAMES:
            told = function
    return named(told) if told else ""


def _steps(frame: Frame) -> bool:
    """Whether it is a line of an optimizer's step, torch's or another's, and not of its wrapper or scheduler."""
    path = frame.file.replace("\\", "/").lower()
    function = frame.function.rpartition(".")[2].strip("_")
    if "lr_scheduler" in path or "grad_scaler" in path or not _OPTIMIZERS.search(path):
        return False
    return function in _STEPS or function.startswith(("single_tensor_", "multi_tensor_", "fused_", "step_"))


def _of_code(frame: Frame) -> str:
    by_code = op_of_code(frame.code)
    if by_code:
        return by_code
    function = frame.function.rpartition(".")[2]
    if "_flatten_dense_tensors" in function:
        return "cat"
    if function.startswith(("layer_norm", "group_norm", "batch_norm")) or function in ("cross_entropy", "nll_loss"):
        return named(function)
    if "one_hot" in function or "onehot" in function:
        return "scatter"
    stem = frame.file.replace("\\", "/").rpartition("/")[2].removesuffix(".py")
    return extension(stem) or extension(function)
