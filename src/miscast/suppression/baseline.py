"""The baseline, a file of fingerprints of known findings, so that a report has only new ones.

    {"schema": 1, "findings": [
     {"fingerprint": "8c1f64b7a09d2e53", "rule": "operand-dtype-mismatch", "file": "train.py", "says": "linear mixes …"}
    ]}

A line for each finding, so that a diff of it can be read; only the fingerprint counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import msgspec

from ..core.atomic_write import write_atomically
from ..core.finding import Finding
from ..report.repository import Repository
from ..report.wording import printable
from .unusable import UnusableError

_SCHEMA = 1
_LARGEST = 64_000_000


class _Known(msgspec.Struct, kw_only=True):
    fingerprint: str
    rule: str = ""
    file: str = ""
    says: str = ""


class _Baseline(msgspec.Struct, kw_only=True):
    schema: int
    findings: tuple[_Known, ...]


def read(file: str) -> frozenset[str]:
    """Return the fingerprints that a baseline holds. Raises UnusableError."""
    try:
        with open(file, "rb") as opened:
            raw = opened.read(_LARGEST)
        found = msgspec.json.decode(raw, type=_Baseline)
    except FileNotFoundError as error:
        raise UnusableError(
            f"there is no baseline {file}: create it with --write-baseline {file}"
        ) from error
    except OSError as error:
        raise UnusableError(
            f"cannot read the baseline {file}: {error.strerror}"
        ) from error
    except msgspec.MsgspecError as error:
        raise UnusableError(f"{file} is not a baseline: {error}") from error
    if found.schema != _SCHEMA:
        raise UnusableError(
            f"{file} is a baseline of schema {found.schema}: this version reads {_SCHEMA}"
        )
    return frozenset(one.fingerprint for one in found.findings)


def write(
    file: str,
    findings: Sequence[Finding],
    fingerprints: Iterable[str],
    repository: Repository,
) -> None:
    """Write a baseline of these findings, and no other. Raises UnusableError."""
    lines = sorted(
        json.dumps(
            {
                "fingerprint": fingerprint,
                "rule": finding.rule,
                "file": repository.shown(finding.location.file),
                "says": printable(finding.message)[:200],
            }
        )
        for finding, fingerprint in zip(findings, fingerprints, strict=True)
    )
    body = ",\n ".join(lines)
    text = f'{{"schema": {_SCHEMA}, "findings": [\n {body}\n]}}\n'
    try:
        write_atomically(file, text.encode())
    except OSError as error:
        raise UnusableError(
            f"cannot write the baseline to {file}: {error.strerror}"
        ) from error
