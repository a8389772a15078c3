"""Mutants that no test can notice, looked at one by one: by file, function and change, and why."""

from __future__ import annotations

WHY: dict[tuple[str, str, str], str] = {}
