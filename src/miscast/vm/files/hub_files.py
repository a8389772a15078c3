"""Advise on model hub files that are neither in the cache nor available."""

from __future__ import annotations

_MISSING = frozenset({"LocalEntryNotFoundError", "OfflineModeIsEnabled"})
ADVICE = (
    "these files are neither in the model hub's cache nor available online. A check needs only the configuration: "
    "where the hub is reachable, run `hf download ORG/NAME --exclude '*.safetensors' '*.bin'`"
)


def advice(error: BaseException | None) -> str | None:
    """Return advice for a program that ended by this exception, or by one that it was raised from."""
    for _ in range(16):
        if error is None:
            return None
        if type(error).__name__ in _MISSING:
            return ADVICE
        error = error.__cause__ or error.__context__
    return None
