"""A key is given twice in one place, with different values.

## What
A precision key stands twice in a file, a command line or an environment, and the values differ.

## Why
JSON, YAML and argparse take the last one without a word; DeepSpeed refuses.

## Example
    --mixed_precision fp16 … --mixed_precision bf16

## Use instead
    --mixed_precision bf16

## Fix safety
Not safe: which of the two was meant is not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import tell
from ..run import Run
from ..setting import Document, Unknown
from ..system import Setting, System


def find(run: Run) -> Iterator[Finding]:
    """Keys of one document that have two values."""
    for view in run.views:
        for document in view.documents:
            yield from _in(view.system, document)


def _in(system: System, document: Document) -> Iterator[Finding]:
    if document.origin == "call" or (document.origin == "environment" and not document.file.endswith("env")):
        return  # a program's branches may each set a variable
    seen: dict[str, Setting] = {}
    for entry in document.entries:
        key = system.by_name.get(entry.path)
        if key is None:
            continue
        setting = Setting(key=key, entry=entry, document=document)
        first = seen.setdefault(entry.path, setting)
        if first.entry is not entry and first.value != setting.value and not isinstance(setting.value, Unknown):
            seen[entry.path] = setting
            refused = system.name == "deepspeed"
            yield tell(
                "setting-given-twice",
                f"{setting.name} is {first.entry.text or first.value} and then {entry.text or setting.value}",
                [setting, first],
                severity="error" if refused else "warning",
                effect="ValueError: Found duplicate keys in DeepSpeed config"
                if refused
                else "silent: the last one counts",
                fixes=(Fix(title="keep one of them"),),
            )
