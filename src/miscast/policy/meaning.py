"""Meanings of input names. Half precision rounds some numbers away, and masks must stay finite in it.

`apply`, `cast` and `expect` all ask here: what one leaves as it is, another does not convert.
"""

from __future__ import annotations

import re

_LAST = re.compile(
    r"(?:.+_)?(?:time_?steps?|sigmas?|positions?)|.+_(?:ids?|ind(?:ex|exes|ices)|lengths?|seqlens)"
)
"""Last words of names: `timestep`, `decoder_position_ids`, `cache_position`, `input_lengths`."""
_WHOLE = frozenset(
    {"position_embeddings", "rotary_emb", "image_rotary_emb", "freqs_cis"}
)
"""Tables of rotary embeddings: sines and cosines of positions, which models compute in float32."""


def keeps_its_dtype(name: str | None) -> bool:
    """Check whether a float under this name of an argument, key or field keeps its dtype: bfloat16 knows no 981.

    >>> keeps_its_dtype("timestep"), keeps_its_dtype("sample")
    (True, False)
    """
    return name is not None and (name in _WHOLE or _LAST.fullmatch(name) is not None)


def is_mask(name: str | None) -> bool:
    """Check whether a float under this name is added to scores: torch's attention wants it in the scores' dtype.

    In float16 and bfloat16 the least float32 is minus infinity, and a row with nothing else becomes NaN.
    """
    return name is not None and name.endswith("mask")
