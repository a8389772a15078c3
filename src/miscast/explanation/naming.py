"""Which op it was: what the message names, else what the frames and the shown code tell, else the usual one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .frame import Frame
from .frame_op import collective, op_of_code, op_of_frames, since_2_1
from .operands import odd_pair, operands
from .operation import kernel, named
from .opnames import NAMES
from .recognise import Recognised

_ARGUMENTS = {
    "mat1": "linear", "mat2": "matmul", "m1": "linear", "m2": "linear", "weight": "conv2d", "target": "nll_loss",
    "tensors": "cat", "indices": "embedding", "index": "embedding", "end": "lerp_", "other": "elementwise",
    "batch1": "bmm", "batch2": "bmm", "vec": "addmv", "running_mean": "batch_norm", "offset": "deform_conv",
    "rois": "roi_align",
    "grid": "grid_sample", "attn_mask": "sdpa", "mask": "masked_fill", "tensor1": "dot", "tensor": "dot",
}  # fmt: skip
_CLUES = (
    ("fused_rms_norm", "fused_rms_norm"), ("fused_layer_norm", "layer_norm"), ("batchnorm", "batch_norm"),
    ("batch_norm", "batch_norm"), ("roi_align", "roi_align"), ("encode_text", "layer_norm"), ("clip", "layer_norm"),
    ("text_encoder", "layer_norm"), ("whisper/", "layer_norm"), ("rotate_half", "mul"), ("apply_rotary", "mul"),
    ("_make_causal_mask", "full"), ("layer_norm", "layer_norm"),
    ("layernorm", "layer_norm"), ("rmsnorm", "mul"), ("rms_norm", "mul"), ("group_norm", "group_norm"),
    ("_prepare_4d", "full"), ("inplace_lerp", "lerp_"), ("bbox_iou", "min"), ("jaccard", "min"), ("matmul", "matmul"),
    ("bmm", "bmm"), ("lora", "linear"), ("adapter", "linear"), ("embeddings.py", "linear"), ("resnet.py", "group_norm"),
    ("loss", "cross_entropy"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Op:
    """An op, and whether it was told or is only the usual one."""

    name: str | None
    guessed: bool = False


def op(found: Recognised, frames: tuple[Frame, ...]) -> Op:
    """The op of a recognised message."""
    words = found.match.words
    if "kernel" in words:
        return Op(name=kernel(words["kernel"])[0])
    told = named(words["op"]) if words.get("op") else ""
    if told:
        arg = words.get("arg", "")
        if told == "embedding" and arg not in ("", "index", "weight", "indices", "self"):
            told = "index_select"
        return Op(name=told)
    by_pattern = _special(found, frames)
    if by_pattern:
        return Op(name=by_pattern)
    if found.pattern.op and found.pattern.name not in _ASKED:
        return Op(name=found.pattern.op)
    by_frames = op_of_frames(frames)
    if by_frames:
        return Op(name=by_frames)
    arg = words.get("arg", "")
    if words.get("other") in ("offset", "grid", "running_mean", "rois"):
        return Op(name=_ARGUMENTS[words["other"]])
    if found.pattern.name == "argument-types-differ" and arg == "input":
        return Op(name="batch_norm", guessed=True)  # since torch 1.8 a convolution says "Input type (…)"
    if arg == "weight" and words.get("n") == "3":
        return Op(name="batch_norm")
    if arg in _ARGUMENTS:
        name = _ARGUMENTS[arg]
        if arg == "weight" and found.pattern.name == "tensor-iterator-dtype":
            name = "lerp_"
        return Op(name=name)
    if found.pattern.op:
        return Op(name=found.pattern.op)
    return _usual(found, frames)


_ASKED = frozenset({
    "self-mat2-dtype", "cpu-mixed-dtype", "value-overflows", "input-weight-type", "input-bias-type",
    "float8-promotion", "result-type-cast", "generator-device", "meta-has-no-data", "found-dtype-in-backward",
    "nccl-cpu-tensor", "collective-output-type", "collective-list-types", "index-argument-dtype", "mean-of-integers",
    "rnn-hidden-device", "rnn-hidden-dtype", "rnn-input-dtype", "requires-grad-dtype", "mat1-mat2-dtype",
    "mps-lacks-dtype", "mps-lacks-float64", "expected-mat1-mat2-dtype",
})  # fmt: skip
"""Patterns whose op the frames may know better than the message."""


_WORDS = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,40}")
_SPOKEN = frozenset({
    "conv1d", "conv2d", "conv3d", "linear", "matmul", "softmax", "embedding", "layernorm", "groupnorm", "batchnorm",
    "rmsnorm", "einsum", "baddbmm", "addmm", "gelu", "silu", "dropout", "interpolate", "cumsum",
})  # fmt: skip
_COLLECTIVE = ("collective", "all_gather", "all_reduce")


def _special(found: Recognised, frames: tuple[Frame, ...]) -> str:
    name = found.pattern.name
    functions = [frame.function for frame in frames[-8:]]
    files = " ".join(frame.file for frame in frames[-12:])
    if name in ("input-weight-type", "input-bias-type"):
        shown = " ".join(frame.words for frame in frames[-4:])
        kinds = ("conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "conv1d", "conv3d")
        return next((kind for kind in kinds if f"f.{kind}(" in shown or f"functional.{kind}" in shown), "conv2d")
    if name in ("mat1-mat2-dtype", "expected-mat1-mat2-dtype", "self-mat2-dtype"):
        innermost = frames[-1].words if frames else ""
        if any(word in innermost for word in ("torch.matmul", "torch.bmm", ".bmm(", " @ ", "torch.mm(")):
            return "bmm" if "bmm" in innermost else "matmul"
        return "matmul" if functions[-1:] == ["backward"] and frames[-1].library != "torch" else "linear"
    if name == "found-dtype-in-backward":
        return op_of_frames(frames) or ("optimizer.step" if "optim" in files else "backward")
    if name == "generator-device":
        return "randperm" if "sampler.py" in files or "dataloader.py" in files else "randn"
    by_operand = {"mask": "masked_fill", "condition": "where", "window": "stft", "boundaries": "searchsorted"}
    if name == "named-same-device":
        return next((op for operand, op in by_operand.items() if operand in found.match.values), "")
    if name == "value-overflows" and any("causal_mask" in function for function in functions):
        return "full"
    if name in ("requires-grad-dtype", "data-set-dtype") and files.endswith("parameter.py"):
        return "Parameter"
    if name == "nccl-cpu-tensor":
        if "distributed.py" in files or "ddp.py" in files:
            return "DDP broadcast"
        return collective(frames) or ("all_reduce" if "dense" in found.message.text else "collective")
    if found.pattern.category == "distributed-dtype" and found.pattern.op in _COLLECTIVE:
        return collective(frames) or found.pattern.op
    if name == "float8-promotion":
        return op_of_code(frames[-1].code) if frames else ""
    return ""


def _usual(found: Recognised, frames: tuple[Frame, ...]) -> Op:
    """What most often raises the message, where neither it nor the frames say."""
    dtypes = odd_pair(operands(found, None))
    words = " ".join(frame.words for frame in frames[-3:])
    clue = next((op for word, op in _CLUES if word in words and (op != "cross_entropy" or "int64" in dtypes)), None)
    if clue:
        return Op(name=clue, guessed=True)
    if found.pattern.name == "expected-scalar-type":
        expected = found.match.values["expected"].dtype
        if expected == "int64":
            return Op(name="nll_loss", guessed=True)
        # since torch 2.1 a linear layer says "mat1 and mat2 must have the same dtype"
        return Op(name="layer_norm" if since_2_1(frames) and "float64" not in dtypes else "linear", guessed=True)
    if found.pattern.name == "typed-tensor-got":
        return Op(name="conv2d", guessed=True)
    if found.pattern.name == "tensor-iterator-dtype" and "int64" in dtypes:
        return Op(name="mse_loss", guessed=True)
    if found.pattern.name in ("tensor-iterator-dtype", "object-of-scalar-type", "object-of-type", "backend-and-dtype"):
        return Op(name="elementwise" if "int64" not in dtypes[:1] else "nll_loss", guessed=True)
    if found.pattern.name in ("tensor-iterator-device", "same-device", "expected-device"):
        return Op(name="elementwise", guessed=True)
    if found.pattern.name == "result-type-cast":
        return Op(name="add_", guessed=True)
    told = _told_of(found)
    return Op(name=told or None, guessed=bool(told))


def _told_of(found: Recognised) -> str:
    """An op that the message speaks of by its name in torch: "layer_norm", "cross_entropy()"."""
    message = found.message
    text = message.original(found.match.start, found.match.end) or message.source
    words = (word for word in _WORDS.findall(text) if "_" in word.strip("_") or word.lower() in _SPOKEN)
    return next((named(word) for word in words if named(word) in NAMES or word.lower() in _SPOKEN), "")
