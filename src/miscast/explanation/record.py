r"""A traceback that a logger wrote as one line, a record of JSON or a list of Python's: the lines that it was.

{"level": "error", "message": "Traceback (most recent call last):\n  File \"a.py\" …"}
['Traceback (most recent call last):\n', '  File "a.py", line 3, in main\n', …]
"""

from __future__ import annotations

import json

from ..core.regex import regex

_FEWEST = 3
_LIST = ("['", '["')
_TRACED = ('File "', 'File \\"', "Traceback (most", "---> ")
_ENDS = regex(r"\\{1,2}n(?!n\\)(?:['\"], ['\"])?")
"""Ends of lines as they are escaped, also between the elements of a list; not a folder of Windows."""
_ESCAPED = regex(r"\\{1,3}(['\"])")


def unfolded(line: bytes) -> bytes:
    """Return the lines of what a logger wrote as one: a record, or what shows a traceback; empty for another line."""
    if b"\\n" not in line:
        return b""
    text = line.decode("utf-8", "replace").strip()
    whole = _of_json(text)
    shown = text.startswith(_LIST) or any(mark in text for mark in _TRACED)
    if not whole and shown and text.count("\\n") >= _FEWEST:
        whole = _ENDS.sub("\n", _ESCAPED.sub(r"\1", text))
    return whole.encode("utf-8", "replace") if "\n" in whole else b""


def _of_json(text: str) -> str:
    """Return the longest text of a JSON record; "" if there is no record."""
    start = text.find("{")
    if start < 0:
        return ""
    try:
        record, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return ""
    texts = (value for value in record.values() if isinstance(value, str))
    return max(texts, key=len, default="")
