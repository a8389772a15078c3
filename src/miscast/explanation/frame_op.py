"""Find the op in a traceback's innermost frames. Torch's own functions and modules come first, then the code shown.

    torch/nn/functional.py, in layer_norm            the function is the op
    torch/nn/modules/conv.py:310, in forward         the module; of a file with several, by line
    torch/optim/adamw.py, in _single_tensor_adamw    optimizer.step
    torch/_decomp/decompositions.py, in addmm        what is taken apart, not its parts

Most tracebacks that people paste have no code lines, so file, function and line number have to do.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import filterfalse, takewhile

from ..core.ops import NAMES, by
from ..core.regex import regex
from .frame import Frame
from .module_lines import module_at
from .operation import extension, named

_FILES = by(lambda op: op.file)
"""The usual op of a torch file, unless the line belongs to another module."""
_CLASSES = by(lambda op: op.modules)
_FUNCTIONS = by(lambda op: op.functions)
_PROGRAMS = by(lambda op: op.programs)
_METHODS = by(lambda op: op.methods)
_CALL = regex(
    r"\b(?:torch|_VariableFunctions|F|functional|nn\.functional|th|fft)\.(?:nn\.functional\.|_C\._nn\.|linalg\.|special\.|fft\.|distributed\.)?(\w{2,40})\("
)
_COMPILED = regex(
    r"\b(?:torch\.ops\.\w{1,40}|torch_npu|(\w{0,40}?)_?(?:_ext|_cuda|_cpp|_C|_gpu|_CUDA|_CPP|_EXT|_kernels?|ext_module|_backend))(?:\.[a-z]\w{1,40})??\.(\w{2,60})(?:\.default)?\("
)
"""A call of a compiled extension, which its name or that of its function tells the op of."""
_ATEN = regex(r"\btorch\.ops\.aten\.(\w{2,80}?)(?:\.\w{1,40})?\(")
_PLAIN = regex(
    r"^(?:dispatch_|launch_)|_(?:low_level|fp32|fp16|bf16|half|float|forward|fwd|backward|bwd|cuda|gpu|varlen)(?=_|$)"
)
_DIRECTIONS = frozenset(
    {"fwd", "bwd", "forward", "backward", "varlen_fwd", "apply", "default"}
)
_METHOD = regex(r"\.(\w{2,40})\(")
NOT_OPS = frozenset({
    "tensor", "device", "cuda", "no_grad", "is_tensor", "float", "load", "autocast",
    "compile", "dtype", "Size", "jit", "checkpoint", "zeros", "ones", "arange", "empty",
    "from_numpy", "as_tensor", "is_grad_enabled", "get_default_dtype", "zeros_like",
    "ones_like", "inference_mode", "manual_seed", "save", "Tensor",
})  # fmt: skip
_COLLECTIVES = (
    "all_reduce", "all_gather_into_tensor", "all_gather", "reduce_scatter_tensor",
    "reduce_scatter", "broadcast", "all_to_all_single", "all_to_all", "isend", "irecv",
    "send", "recv", "barrier", "scatter", "gather", "reduce",
)  # fmt: skip
_PIECES = regex("/(?:_decomp|_refs|_meta_registrations|_prims|_inductor)")
"""Files that decompose ops into others."""
_TORCH = ("torch", "torchvision")
_EXTENSIONS = ("torch_scatter", "torch_sparse", "torch_cluster", "torch_spline_conv")
_OPTIMIZERS = regex(
    r"^(?!.*(?:lr_scheduler|grad_scaler)).*"
    r"(?:optim|adam|lion|prodigy|adafactor|lamb|came\b|muon|galore|dadapt|shampoo|schedulefree|sophia)"
)
_STEP = regex(
    r"_*(?:update_step$|(?:step|adamw|adam|sgd|adagrad|rmsprop|adadelta|adamax|nadam|radam|rprop)_*$"
    r"|single_tensor_|multi_tensor_|fused_|step_)"
)
_SCALES = {
    "step": "step", "_maybe_opt_step": "step", "scale": "scale", "apply_scale": "scale",
    "unscale_": "unscale_", "_unscale_grads_": "unscale_", "update": "update",
}  # fmt: skip
"""Functions of the gradient scaler, and whose parts they are."""
_DEEP = 6
_QUOTED = regex(r"\"[^\"]{0,200}\"|'[^']{0,200}'")
_OPERATOR = regex(
    r"[\w)\]] {0,2}(?<![*/<>])(\*\*|//|==|!=|<<|>>|\*|\+|-|/|%|&|\||\^)(?![*/>])(?:=(?!=))? {0,2}(?=[A-Za-z_(~])"
)
"""One between tensors: a number on its right is of any device and dtype."""
_KEYWORD = regex(
    r"\b(?:lambda|return|yield|await|not|and|or|in|is|if|else|assert|del)\b"
)
"""Behind one of Python's words a sign is none between operands: "lambda *args", "return -x"."""
_COMPARED = regex(
    r"\.(gt|lt|ge|le|ne|eq|maximum|minimum|remainder|fmod|atan2|logical_\w{2,3}|bitwise_\w{2,3})_?\("
)
OPERATORS = {
    "*": "mul", "+": "add", "-": "sub", "/": "div",
    "%": "remainder", "&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor", "**": "pow", "//": "floor_divide",
    "@": "matmul", "==": "eq", "!=": "ne", "<<": "bitwise_left_shift", ">>": "bitwise_right_shift",
}  # fmt: skip


def op_of_frames(frames: tuple[Frame, ...]) -> str:
    """Return the op of the innermost frames, or "": from torch's own, up to the first other one, whose code is read."""
    for end in range(len(frames), max(0, len(frames) - _DEEP), -1):
        frame = frames[end - 1]
        told = _step(frame) or (
            _of_torch(frames[:end]) if frame.library in _TORCH else _of_code(frame)
        )
        if told or frame.library not in _TORCH:
            return told
    return ""


def collective(frames: tuple[Frame, ...]) -> str:
    """Return the collective that was called, "" where no frame names one."""
    functions = (frame.function.strip("_") for frame in reversed(frames))
    calls = (call for frame in frames[-1:] for call in _METHOD.findall(frame.code))
    return next((name for name in (*functions, *calls) if name in _COLLECTIVES), "")


def op_of_code(code: str) -> str:
    """Return the op that a line of code calls last or most tellingly."""
    aten = _ATEN.search(code)
    if aten:
        return named(aten[1])
    compiled = _COMPILED.search(code)
    if compiled:
        return _of_extension(*compiled.groups(default=""))
    calls = (call for call in _CALL.findall(code) if call[0].islower())
    call = next(filterfalse(NOT_OPS.__contains__, calls), None)
    if call:
        return named(call)
    methods = [*filter(_METHODS.__contains__, _METHOD.findall(code))]
    if methods:
        return _FUNCTIONS.get(methods[-1]) or named(methods[-1])
    return "matmul" if " @ " in code else ""


def _of_extension(module: str, function: str) -> str:
    """Return the op that a function of a compiled extension is, by its name, or by the extension's."""
    name = module.strip("_") if function in _DIRECTIONS else function
    plain = _PLAIN.sub("", _PLAIN.sub("", name))
    return extension(plain) or named(plain or name)


def operator(code: str) -> str:
    """Return the op of the only kind of operator that a line of code has; "" where it has none or several."""
    found = operators(code)
    if len(found) == 1:
        return found.pop()
    compared = _COMPARED.search(_bare(code))
    return compared[1].rstrip("_") if compared else ""


def operators(code: str) -> set[str]:
    """Return the ops of all operators between tensors of a line of code."""
    return {OPERATORS[sign[1]] for sign in _OPERATOR.finditer(_bare(code))}


def _bare(code: str) -> str:
    """Return a line of code without its comment, its texts and Python's words."""
    return _KEYWORD.sub("(", _QUOTED.sub("", code.partition("#")[0]))


def _of_torch(frames: tuple[Frame, ...]) -> str:
    """Return the op from the innermost frame, one of torch's own."""
    readers = (_taken_apart, _of_function, _of_module)
    return next(filter(None, (read(frames) for read in readers)), "")


def _taken_apart(frames: tuple[Frame, ...]) -> str:
    """Return the outermost of the frames that take an op apart: of `addmm` made of `add`, the first."""
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
    if frames[-1].base == "grad_scaler.py" and method in _SCALES:
        return f"GradScaler.{_SCALES[method]}"
    if method in _FUNCTIONS:
        return _FUNCTIONS[method]
    known = method.rstrip("_") in NAMES and frames[-1].base != "module.py"
    of_vision = extension(method) if frames[-1].library == "torchvision" else ""
    return named(method) if known else of_vision


def _of_module(frames: tuple[Frame, ...]) -> str:
    """Return a module's op; for a file with several modules, the one that contains the line."""
    *_, folder, base = "", *frames[-1].path.split("/")
    of_line = module_at(frames) if folder == "modules" else ""
    return _CLASSES.get(of_line) or _FILES.get(f"{folder}/{base}", "")


def _step(frame: Frame) -> str:
    """Return "optimizer.step" for a line of an optimizer's step, not of its wrapper or scheduler."""
    if _OPTIMIZERS.search(frame.path.lower()) and _STEP.match(frame.method):
        return "optimizer.step"
    return ""


def _of_code(frame: Frame) -> str:
    """Return the op of a frame outside torch: from its code, else from the names of its function and file."""
    unnamed = frame.function in ("forward", "__init__", "<module>")
    if frame.library.startswith(_EXTENSIONS) and not unnamed:
        return frame.function
    by_name = (op for name, op in _PROGRAMS.items() if fnmatchcase(frame.method, name))
    return (
        op_of_code(frame.code)
        or next(by_name, "")
        or extension(frame.base)
        or extension(frame.method)
    )
