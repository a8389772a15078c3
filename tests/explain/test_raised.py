"""What real torch raised when every op of its database was called with other dtypes: explain reads it."""

from __future__ import annotations

import gzip
import json
import re

from miscast.explanation import explained
from miscast.torch_facts.contracts.table import FOLDER

DTYPES = re.compile(
    r"\b(?:Half|Float|Double|Long|Int|Short|Char|Byte|Bool|BFloat16|Complex(?:Half|Float|Double)|Float8_\w{4,9}|"
    r"float|double|int|long|torch\.\w{3,16}|c10::\w{3,20})\b"
)


def raised():
    """One text per message of the sweep, whatever dtypes it was raised for."""
    found = {}
    with gzip.open(FOLDER / "cpu-2.13.0.jsonl.gz", "rt", encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            for text in row.get("raises", ()):
                found.setdefault(DTYPES.sub("T", text), text)
    return found.values()


def test_what_torch_raised_in_the_sweep_is_read():
    texts = list(raised())
    unread = [text for text in texts if not explained(f"RuntimeError: {text}")]
    assert len(texts) > 1000
    assert len(unread) <= 0.03 * len(texts), "\n".join(unread[:40])
