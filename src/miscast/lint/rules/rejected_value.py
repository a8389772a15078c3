"""A library rejects the value of a setting."""

from __future__ import annotations

from collections.abc import Iterator

from ..contradiction import Contradiction, replaced
from ..run import Run
from ..setting import Unknown
from ..system import Setting

_FULL = ("fp32", "float32", "32", "float", "false", "full", "none", "no")


def find(run: Run) -> Iterator[Contradiction]:
    """Values outside what a key allows; of several that reach the program, only the one that wins."""
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
    """Whether a setting has no value that can be judged; on a command line, an empty word is one."""
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
    reader = setting.document.name or setting.key.source.partition(",")[0]
    grows = setting.key.grows
    takes = "a newer version may take it" if grows else f"{reader} does not take it"
    return Contradiction(
        says=f"{setting.name} is {setting.entry.text or value or 'empty'}{boolean}: {takes}",
        settings=(setting,),
        severity="hint" if grows else "error",
        effect=_effect(setting),
        help=f"{setting.name}: {word} computes in float32"
        if word
        else f"one of {', '.join(allowed[:8])}",
        edit=replaced(setting, word) if word else None,
    )


def _effect(setting: Setting) -> str:
    """A bare `no` of YAML fails before the library looks at its value."""
    if (
        isinstance(setting.value, bool)
        and setting.document.origin == "file"
        and setting.key.name == "mixed_precision"
    ):
        return f"AttributeError: 'bool' object has no attribute 'lower' ({setting.value} is no word: quote it)"
    return setting.key.rejects.format(value=setting.value)


def _off_word(setting: Setting) -> str:
    """The word for float32 where the rejected one means it, as it is written there; code is for a person to change."""
    means_full = "no" in setting.key.allowed and str(setting.value).lower() in _FULL
    if not means_full or setting.document.origin == "call":
        return ""
    if setting.document.file.endswith((".yaml", ".yml")):
        return "'no'"
    return '"no"' if setting.entry.text.startswith(('"', "'")) else "no"
