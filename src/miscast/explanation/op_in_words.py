"""The op that a message of a compiler or a runtime tells in its own form: a dialect's, a graph node's, a kernel's.

>>> op_in_words("error: 'mps.multiply' op requires the same element type for all operands")
'mul'
>>> op_in_words("call aclnnCast failed, detail:EZ1001"), op_in_words("Could not find an op")
('to', '')
"""

from __future__ import annotations

import re

from ..ops import NAMES
from ..regex import regex
from .op_forms import FORMS, MEANT
from .operation import named

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


def op_in_words(text: str) -> str:
    """Return the op's canonical name; "" if the text has none of the forms."""
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
