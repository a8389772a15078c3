"""What the build makes: of which words one stands in each text that a message template of `explain` fits.

    python hatch_build.py        write src/miscast/explanation/literals.json, as every build of a wheel does

They follow from the templates alone, and take ten times as long to find as to read. Without the file, or for a template
that is not in it, `explain` finds them itself.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ModuleNotFoundError:  # run by hand
    BuildHookInterface = object

PACKAGE = Path(__file__).parent / "src" / "miscast" / "explanation"
LITERALS = PACKAGE / "literals.json"


class BuildHook(BuildHookInterface):  # type: ignore[misc]  # hatchling has no types
    """Writes the file before the wheel is put together, an editable one too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's signature
        """Write it."""
        write()


def write(file: str | Path = LITERALS) -> None:
    """Write the literals of each template, in order of the patterns."""
    sys.path.insert(0, str(PACKAGE.parents[1]))
    # Only the patterns: the package itself imports what an isolated build has not installed.
    package = ModuleType("miscast.explanation")
    package.__path__ = [str(PACKAGE)]
    sys.modules[package.__name__] = package
    try:
        from miscast.explanation.pattern import patterns

        literals = {
            template.text: sorted(template.literals)
            for one in patterns()
            for template in one.templates
        }
    finally:
        del sys.modules[package.__name__]
        sys.path.pop(0)
    Path(file).write_text(
        json.dumps(literals, ensure_ascii=False, indent=0) + "\n", "utf-8"
    )


if __name__ == "__main__":
    write()
