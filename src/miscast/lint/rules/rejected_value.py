"""A library rejects the value of a setting."""

from __future__ import annotations

from collections.abc import Iterator

from ..contradiction import Contradiction, replaced
from ..run import Run
from ..setting import Unknown
from ..system import Setting

_FULL = ("fp32", "float32", "32", "float", "false", "full", "none", "no")


def find(run: Run) -> Iterator[Contradiction]:
    """Yield values that a key does not allow, if they take precedence."""
    for view in run.views:
        for setting, *_ in view.settings.values():
            if _is_rejected(setting):
                yield _rejected(setting)


def _is_rejected(setting: Setting) -> bool:
    key, value = setting.key, setting.value
    if not key.rejects or not key.allowed or setting.entry.flag or _is_unset(setting):
        return False
    return not any(
        type(value) is type(allowed) and value == allowed for allowed in key.allowed
    )


def _is_unset(setting: Setting) -> bool:
    """Check whether a setting has no known value; on a command line, an empty word is a value."""
    value = setting.value
    return (
        isinstance(value, Unknown)
        or value is None
        or (value == "" and setting.document.origin != "command")
    )


def _rejected(setting: Setting) -> Contradiction:
    value, word = setting.value, _off_word(setting)
    allowed = [str(value) for value in setting.key.allowed if value is not None]
    boolean = f", which is the boolean {value}" if isinstance(value, bool) else ""
    reader = (
        setting.document.name or setting.key.source.partition(";")[0].partition(",")[0]
    )
    grows = setting.key.grows
    takes = "a newer version may accept it" if grows else f"{reader} does not accept it"
    help_, edit = f"use one of: {', '.join(allowed[:8])}", None
    if word:
        help_ = f"{setting.name}: {word} computes in float32"
        edit = replaced(setting, word)
    return Contradiction(
        says=f"{setting.name} is {setting.entry.text or value or 'empty'}{boolean}: {takes}",
        settings=(setting,),
        severity="hint" if grows else "error",
        effect=_effect(setting),
        help=help_,
        edit=edit,
    )


def _effect(setting: Setting) -> str:
    """Return the error; a bare `no` of YAML fails before the library checks the value."""
    if (
        isinstance(setting.value, bool)
        and setting.document.origin == "file"
        and setting.key.name == "mixed_precision"
    ):
        return f"AttributeError: 'bool' object has no attribute 'lower' ({setting.value} is a Boolean: quote it)"
    return setting.key.rejects.format(value=setting.value)


def _off_word(setting: Setting) -> str:
    """Return the word for float32 if the rejected one means it, quoted for the file; "" for code."""
    means_full = "no" in setting.key.allowed and str(setting.value).lower() in _FULL
    if not means_full or setting.document.origin == "call":
        return ""
    if setting.document.file.endswith((".yaml", ".yml")):
        return "'no'"
    return '"no"' if setting.entry.text.startswith(('"', "'")) else "no"
