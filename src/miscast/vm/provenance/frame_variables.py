"""The values of names in the user's frames, at the time of a finding.

    scopes(frame)   # [("train.py", "step", {"latent": "float16 cuda:0", "dtype": "float16", "unet": "module"})]

A tensor is told by its dtype and device, a dtype or device by itself (also where it is a text: "cuda"), a module by
"module", a number or another text by "number", a dict by "dict"; all else is "". Nothing of the program's runs: only
what is plainly stored is looked at.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

import torch

from .contents import attributes_of, items_of
from .module_members import module_parts
from .origin import user_frames
from .record import find, is_tensor

if TYPE_CHECKING:
    from types import FrameType

# the class itself: on the virtual machine, where this may be imported first, another goes by its name
_DEVICES = type(torch.device("cpu"))
_DEVICE = re.compile(r"(cuda|xpu|npu|mps|cpu)(:[0-9]{1,3})?")
_FRAMES = 12
_KEYS = 32
_HOLDING = frozenset({"", "module", "dict"})
_PLAIN = dict.fromkeys(
    (int, float, complex, bool, str, bytes, type(None)), "number"
) | {dict: "dict"}
Scope = tuple[str, str, dict[str, str]]


def scopes(frame: FrameType | None) -> list[Scope]:
    """Return file, function and names of each frame of the user's, innermost first."""
    found: list[Scope] = []
    for one in user_frames(frame)[:_FRAMES]:
        code, names = one.f_code, dict[str, str]()
        words = set(code.co_names)
        stored = {
            name: value for name, value in one.f_globals.items() if name in words
        } | one.f_locals
        for name, value in stored.items():
            names[name] = told(value)
            if names[name] in _HOLDING:
                names.update(_inside(name, value, words))
        found.append((code.co_filename, code.co_name, names))
    return found


def told(value: Any) -> str:
    """Return one value in a word or two."""
    if is_tensor(value):
        record = find(value)
        device = (
            record.device if record is not None and record.device is not None else "cpu"
        )
        return f"{str(value.dtype)[6:]} {device}"
    kind = type(value)
    if issubclass(kind, torch.nn.Module):
        return "module"
    if kind is torch.dtype:
        return str(value)[6:]
    if kind is _DEVICES or (kind is str and _DEVICE.fullmatch(value)):
        return str(value)
    return _PLAIN.get(kind, "")


def _inside(name: str, value: Any, words: set[str]) -> dict[str, str]:
    """Return the items of a plain dict, and those attributes of an object that the function mentions."""
    if type(value) is dict:
        items = islice(items_of(value), _KEYS)
        told_of = {
            f'{name}["{key}"]': told(item)
            for key, item in items
            if isinstance(key, str)
        }
        return {path: text for path, text in told_of.items() if text}
    spaces = [
        attributes_of(value),
        *(module_parts(value) if issubclass(type(value), torch.nn.Module) else ()),
    ]
    return {
        f"{name}.{word}": told(space[word])
        for space in spaces
        for word in words.intersection(space)
    }
