"""A known word that is spelled like an unknown one, for the error's message."""

from __future__ import annotations

from collections.abc import Iterable


def similar(
    word: str, known: Iterable[str], otherwise: str = "", *, cutoff: float = 0.6
) -> str:
    """Return "did you mean X?" for the known word that is most like a word, `otherwise` if none is."""
    import difflib  # only an error needs it

    found = difflib.get_close_matches(word, list(known), n=1, cutoff=cutoff)
    return f"did you mean {found[0]}?" if found else otherwise
