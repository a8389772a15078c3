"""The pages of the rules that a report names, so that each finding can link to its rule without a network."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from ...core.finding import Finding
from ..rule_page import names, page

_DEEPER = 2
"""A rule's headings begin at h2 in its own page, and at h4 here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleText:
    """A rule, where its text is on the page, its address on the project's site ("" without one), and its text."""

    name: str
    anchor: str
    url: str
    text: Markup


def rule_texts(findings: Iterable[Finding]) -> dict[str, RuleText]:
    """Return the texts of the findings' rules, by name, in the order of the findings."""
    known = {*names()}
    rules = dict.fromkeys(finding.rule for finding in findings)
    return {rule: _text(rule) for rule in rules if page(rule).name in known}


def _text(rule: str) -> RuleText:
    about = page(rule)
    return RuleText(
        name=rule,
        anchor=f"rule-{re.sub(r'[^a-z0-9-]', '-', rule.lower())}",
        url=about.url,
        text=_as_html(about.text),
    )


def _as_html(text: str) -> Markup:
    """Return Markdown as HTML: raw HTML is escaped, and neither links nor images are made."""
    parser = MarkdownIt("commonmark", {"html": False})
    parser.disable(["link", "image", "autolink"])
    tokens = parser.parse(text)
    for token in tokens:
        _lower(token)
    html: str = parser.renderer.render(tokens, parser.options, {})
    return Markup(html)  # noqa: S704 - what the parser escaped


def _lower(token: Token) -> None:
    if token.type.startswith("heading"):
        token.tag = f"h{min(int(token.tag[1:]) + _DEEPER, 6)}"
