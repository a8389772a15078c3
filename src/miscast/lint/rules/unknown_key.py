"""An unknown key looks like a precision key.

## What
A key that its system does not know, one or two letters off one that it does.

## Why
Some libraries ignore unknown keys, and the setting that was meant keeps its default; others refuse.

## Example
    mixed_precison: bf16

## Use instead
    mixed_precision: bf16

## Fix safety
Not safe: the numbers change to what was asked for.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import tell
from ..run import Run
from ..setting import Document, Entry
from ..system import Key, Setting, System

_REFUSES = {
    "transformers": "ValueError: Some specified arguments are not used by the HfArgumentParser",
    "accelerate": "ValueError: The config file had unknown keys, please try upgrading your `accelerate` version",
    "deepspeed": "in fp16 and bf16, ValidationError: Extra inputs are not permitted (0.19); elsewhere, silent",
    "kohya": "argparse: unrecognized arguments; in a TOML, silent: it is ignored",
}
_CLOSE = 0.88


def find(run: Run) -> Iterator[Finding]:
    """Slips of a precision key."""
    for view in run.views:
        if view.system.role in ("environment", "library"):
            continue
        for document in view.documents:
            for entry in document.entries:
                if name := _meant(view.system, entry, document):
                    yield _told(view.system, document, entry, name)


def _meant(system: System, entry: Entry, document: Document) -> str:
    path = entry.path
    if system.key(path) is not None or path in system.others or path.startswith("@") or document.origin == "call":
        return ""
    if any(name.startswith(f"{path}.") for name in system.by_name):
        return ""  # an empty section
    bare = next((path[len(p) :] for p in system.nested if path.startswith(p)), path)
    if bare in system.others or len(bare) < 4:
        return ""
    near = difflib.get_close_matches(bare, system.by_name, n=1, cutoff=_CLOSE)
    if not near or near[0] in document.values() or _variant(bare, near[0]):
        return ""
    return near[0]


def _variant(path: str, name: str) -> bool:
    """Whether a key differs by a digit, a point or a prefix: text_encoder_2 is no slip of text_encoder_3."""
    plain = str.maketrans("._-", "   ", "0123456789")
    return path.translate(plain) == name.translate(plain) or path.endswith(name) or name.endswith(path)


def _told(system: System, document: Document, entry: Entry, name: str) -> Finding:
    setting = Setting(key=Key(name=entry.path), entry=entry, document=document)
    return tell(
        "unknown-key",
        f"{system.title} knows no {setting.name}: did you mean {name}?",
        [setting],
        severity="warning",
        effect=_REFUSES.get(system.name, "silent: it is ignored, and the default stays"),
        fixes=(Fix(title=f"write {name}"),),
    )
