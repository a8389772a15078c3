"""The page of a rule, read off its file: nothing is imported for it, and a report knows no more than the rule's name.

>>> page("operand-dtype-mismatch").document
'rules.html#operand-dtype-mismatch'
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..findings.aliases import RETIRED, current

_PACKAGE = Path(__file__).parents[1]
_PLACES = {"rules": "rules", "lint/rules": "lint", "shadowing/losses": "shadow"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A rule's name, what its file says, and which document of the project's site has it."""

    name: str
    text: str
    document: str

    @property
    def summary(self) -> str:
        """The first paragraph, on one line."""
        return " ".join(self.text.partition("\n\n")[0].split())

    @property
    def url(self) -> str:
        """Where it can be read; "" as long as the package names no site."""
        return f"{site()}{self.document}" if site() else ""


def names() -> tuple[str, ...]:
    """Return every rule that has a page, by name."""
    return tuple(sorted(_files()))


def accepted() -> tuple[str, ...]:
    """Return every id that a comment or a setting may name: those that rules had before, too."""
    return (*names(), *RETIRED)


@cache
def page(rule: str) -> Page:
    """A rule's page; of a kind of error that `explain` tells, its name in words."""
    rule = current(rule)
    found = _files().get(rule)
    if found is None:
        return Page(name=rule, text=rule.replace("-", " "), document="explain.html")
    file, document = found
    text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or rule
    return Page(name=rule, text=text, document=f"{document}.html#{rule}")


@cache
def site() -> str:
    """The site that the package's metadata names as its documentation, with a slash at its end; "" without one."""
    from importlib import metadata  # and with it half of the standard library

    try:
        urls = metadata.metadata("miscast").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    for url in urls:
        label, _, address = url.partition(",")
        if label.strip().lower() == "documentation":
            return f"{address.strip().rstrip('/')}/"
    return ""


@cache
def _files() -> dict[str, tuple[Path, str]]:
    found: dict[str, tuple[Path, str]] = {}
    for folder, document in _PLACES.items():
        for file in sorted((_PACKAGE / folder).glob("[a-z]*.py")):
            found.setdefault(file.stem.replace("_", "-"), (file, document))
    return {name: place for name, place in found.items() if name not in RETIRED}
