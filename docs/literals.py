"""Write src/miscast/explanation/literals.json: of which words one stands in each text that a message template fits.

python docs/literals.py              after a template was added or changed; a test tells when it was forgotten

They follow from the templates alone, but finding them takes longer than the rest of what `explain` does of one line.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from miscast.explanation.pattern import patterns

LITERALS = Path(__file__).parents[1] / "src/miscast/explanation/literals.json"


def literals() -> dict[str, list[str]]:
    """By the text of a template, in order of the patterns."""
    return {
        template.text: sorted(template.literals)
        for pattern in patterns() for template in pattern.templates
    }  # fmt: skip


if __name__ == "__main__":
    LITERALS.write_text(json.dumps(literals(), ensure_ascii=False, indent=0) + "\n", "utf-8")
