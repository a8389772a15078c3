"""The page of a rule, read off its file: nothing is imported for it, and a report knows no more than the rule's name.

>>> page("operand-dtype-mismatch").document
'rules.html#operand-dtype-mismatch'
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import get_args

from ..core.finding import Severity
from ..judging.findings.aliases import RETIRED, current

_PACKAGE = Path(__file__).parents[1]
_BUILDERS = {**dict.fromkeys(("make_finding", "finding"), "error"), "lossy": "warning"}
"""Functions that make a finding, each with its default severity."""
_LOSSES = "numbers/values/losses"
_PLACES = {"judging/rules": "rules", "lint/pages": "lint-rules"}
_FRONT = "---\nseverity: "
"""The start of a Markdown page whose findings are warnings or hints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A rule's name, what its file says, and which document of the project's site has it.

    `severity` is the most severe that its findings have, `strict` says whether it takes `--strict`.
    """

    name: str
    text: str
    document: str
    severity: Severity = "error"
    strict: bool = False

    @property
    def summary(self) -> str:
        """The first paragraph, on one line."""
        return " ".join(self.text.partition("\n\n")[0].split())

    @property
    def fixable(self) -> bool:
        """True if `fix` may find a change, or `lint --fix` writes one: those of settings are only written if safe."""
        safety = self.text.partition("## Fix safety")[2].lstrip()
        if self.document.startswith("lint"):
            return safety.startswith("Safe")
        return bool(safety) and not safety.startswith("No automatic fix")

    @property
    def url(self) -> str:
        """The address of the page; "" as long as the package names no site."""
        return f"{site()}{self.document}" if site() else ""


def names() -> tuple[str, ...]:
    """Return every rule that has a page: those of programs by name, then of settings, then of real runs alone."""
    return tuple(_files())


def of_losses() -> frozenset[str]:
    """Return the rules of torch's precision loss, each with a file of its own in `numbers/values/losses`."""
    return frozenset(_of(_LOSSES))


def accepted() -> tuple[str, ...]:
    """Return every id that a comment or a setting may name, including former ids of rules."""
    return (*names(), *RETIRED)


@cache
def page(rule: str) -> Page:
    """Return a rule's page; for a kind of error that `explain` reports, its name in words."""
    rule = current(rule)
    found = _files().get(rule)
    if found is None:
        return Page(name=rule, text=rule.replace("-", " "), document="explain.html")
    file, document = found
    source = file.read_text("utf-8")
    if file.suffix == ".md":
        return _markdown(rule, source, document)
    tree = ast.parse(source)
    return Page(
        name=rule,
        text=ast.get_docstring(tree) or rule,
        document=f"{document}.html#{rule}",
        severity=_severity(tree, "warning" if rule in of_losses() else "error"),
        strict="\nSTRICT = True\n" in source,
    )


def _markdown(rule: str, source: str, document: str) -> Page:
    front, text = "", source
    if source.startswith(_FRONT):
        front, _, text = source.removeprefix(_FRONT).partition("\n---\n")
    return Page(
        name=rule,
        text=text.strip("\n"),
        document=f"{document}.html#{rule}",
        severity=next((one for one in get_args(Severity) if one == front), "error"),
    )


def of_settings() -> tuple[str, ...]:
    """Return the rules of `lint`, each with a page in Markdown."""
    return tuple(_of("lint/pages"))


def _severity(tree: ast.Module, usual: Severity) -> Severity:
    """Return the most severe level that a file names or leaves to its builders: precision loss is a warning."""
    said: set[object] = set()
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        named = [word.value for word in call.keywords if word.arg == "severity"]
        for node in chain.from_iterable(map(ast.walk, named)):
            said.add(getattr(node, "value", None))
        if not named:
            said.add(_BUILDERS.get(getattr(call.func, "id", "")))
    return next((one for one in get_args(Severity) if one in said), usual)


@cache
def site() -> str:
    """Return the site that the package's metadata names as its documentation, with a slash at its end.

    "" without one.
    """
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
        for name, file in _of(folder).items():
            found.setdefault(name, (file, document))
    return found


def _of(folder: str) -> dict[str, Path]:
    inside = (_PACKAGE / folder).glob("[a-z]*")
    files = sorted(file for file in inside if file.suffix in (".py", ".md"))
    names = {file.stem.replace("_", "-"): file for file in files}
    return {name: file for name, file in names.items() if name not in RETIRED}
