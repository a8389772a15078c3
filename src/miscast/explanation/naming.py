"""Name the op: from the message, else from its pattern's clues and the frames, else the usual one."""

from __future__ import annotations

import re

from ..core.frozen import dataclass
from ..core.ops import NAMES
from ..core.regex import regex
from .clues import ANY_PATTERN, USUAL, first_told, word
from .frame import Frame
from .op_forms import FORMS, MEANT
from .operation import kernel, named
from .pattern import OpClue
from .recognise import Recognised
from .visible import called, only_op, visible_op

_EMBEDDED = ("", "index", "weight", "indices", "self")
"""Arguments of `index_select` as an embedding calls it."""
_ANY_KERNEL = ("a CUDA kernel", "Triton kernel", "an extension's op", "a kernel")
"""Names for an op where only the owner of its kernel is known."""
_RAISED_BY_OPS = ("dtype-mismatch", "device-mismatch", "unsupported-dtype")
_OF_LOSS = regex(r"loss|criteri|entropy|nll|objective|target|label")
_SHARED_KERNEL = regex(r"\"(\w{2,40})/\w{2,40}\" not")
"""The first of two ops that share a kernel: "add_cpu/sub_cpu" is add's."""
_CHECKS = regex(r"_*(?:check|assert|validate|verify|ensure)_")
"""Functions that do nothing but to compare what they are given."""
_TRITON = regex(r"triton|\bhivm\b|hfusion|\btt\.", re.IGNORECASE)
_TOLD = regex("|".join(FORMS))
_CPP = regex(
    r"(?:frame #\d{1,3}: |\b(?:XLANativeFunctions|AtenXlaType|AtenIpexTypeXPU|NPUNativeFunctions)::)"
    r"(?:[\w:*&<> ]{1,80} )?(?:\w{1,60}::){0,5}(\w{3,60})(?:<[^()]{0,80}>)?\("
)
_PRETTY = regex(
    r"\b(\w{3,60})\((?:[\w:<>&* ]{1,60}, ){0,40}[\w:<>&* ]{1,60}\)(?: const)?::<lambda"
)
"""A function as C++ names it to itself: "Prefill::BeginForward(at::Tensor, unsigned int)::<lambda()>"."""
_NO_OPS = regex(
    r"Error|^check|data_ptr|^data$|^item|TensorBase|TypeMeta|toTensor|^call|^operator|^raise|^throw|torchCheck|^const_data|"
    r"^get|Boxed|^run|^invoke|^at_|^expect|^PyEval|^cast|^exception",
    re.IGNORECASE,
)
"""Functions that raise, or are on the way to the op."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Op:
    """An op, and whether it was told or is only the usual one."""

    name: str | None
    guessed: bool = False


def op(found: Recognised, frames: tuple[Frame, ...], near: str, typed: str) -> Op:
    """Return the op of a recognised message, by the lines beside it, and by what was typed at a prompt, too."""
    told = _told_op(found, frames, near, typed)
    if told == "backward":  # where C++ tells of what
        of_cpp = op_in_words(near)
        told = of_cpp if of_cpp in NAMES else told
    if told:
        return Op(name=told)
    usual = _usual_op(found, frames)
    return Op(name=usual or None, guessed=bool(usual))


def _told_op(
    found: Recognised, frames: tuple[Frame, ...], near: str, typed: str
) -> str:
    """Return the op named by the code, the message or its pattern, the most certain first; "" if none names it."""
    own = (OpClue(op=found.pattern.op),) if found.pattern.op else ANY_PATTERN
    return (
        _of_line(found, frames, typed)
        or _named(found)
        or op_in_words(found.message.source)
        or first_told(found.pattern.op_clues, found, frames)
        or (op_in_words(near) if found.pattern.op in _ANY_KERNEL else "")
        or first_told(own, found, frames)
        or op_in_words(near)
    )


def _usual_op(found: Recognised, frames: tuple[Frame, ...]) -> str:
    """Return the most common op if nothing names it; "" if that is not known."""
    of_triton = "Triton kernel" if _TRITON.search(found.message.source) else ""
    return called(frames) or _usually(found, frames) or of_triton


def _usually(found: Recognised, frames: tuple[Frame, ...]) -> str:
    """Return the op that mostly raises it; not a loss, if the code that is shown has none."""
    told = first_told((*USUAL, *found.pattern.usual_op), found, frames)
    shown = frames[-1] if frames else None
    other = shown is not None and shown.code and not _OF_LOSS.search(shown.words)
    return "" if told in ("nll_loss", "cross_entropy") and other else told


def _of_line(found: Recognised, frames: tuple[Frame, ...], typed: str) -> str:
    """Return the only op of the line that raised, or was typed, where the message is one that ops raise."""
    looked_up = found.message.text.startswith("keyerror")  # in a dict, not in a tensor
    if looked_up or found.pattern.category not in _RAISED_BY_OPS:
        return ""
    asserted = found.message.text.startswith("assert")
    if frames and _raises_itself(frames[-1], asserted=asserted):
        return ""
    return visible_op(frames) or only_op(typed)


def _raises_itself(frame: Frame, *, asserted: bool) -> bool:
    """Check whether a line does not call what failed, but says that a check of its own did."""
    if frame.library == "torch":
        return False
    if _CHECKS.match(frame.method) and not frame.code:
        return True
    return frame.code.startswith("raise ") or (
        asserted and frame.code.startswith("assert ")
    )


def _named(found: Recognised) -> str:
    """Return the op or the kernel that the message names."""
    if "kernel" in found.match.words:
        name = found.match.words["kernel"]
        shared = _SHARED_KERNEL.search(found.message.source)
        name = shared[1] if shared else name
        # "RuntimeError: Not implemented for 'Long'" names none
        return "" if name.rstrip(":").lower().endswith("error") else kernel(name)[0]
    told = named(word(found, "op"))
    if told == "embedding" and word(found, "arg") not in _EMBEDDED:
        return "index_select"
    return told


def op_in_words(text: str) -> str:
    """Return the op that a compiler or a runtime tells in its own form: a dialect's, a graph node's, a kernel's; or "".

    >>> op_in_words("error: 'mps.multiply' op requires the same element type for all operands")
    'mul'
    >>> op_in_words("call aclnnCast failed, detail:EZ1001"), op_in_words("Could not find an op")
    ('to', '')
    """
    pretty = _PRETTY.search(text)
    if pretty is not None:
        return pretty[1]
    found = _TOLD.search(text)
    word = found[found.lastindex or 0] if found else _of_cpp(text)
    return MEANT.get(word) or named(word)


def _of_cpp(text: str) -> str:
    """Return the innermost function of a C++ backtrace that is an op's; "" where none is."""
    names = [name for name in _CPP.findall(text) if not _NO_OPS.search(name)]
    return next((name for name in names if named(name) in NAMES), "") or next(
        iter(names), ""
    )
