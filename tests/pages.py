"""What a page says: its text, its tags, where its links lead."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_VOID = {"meta", "line", "polyline", "polygon", "path", "br"}


class Page(HTMLParser):
    """Raises for a tag that is not closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.heard: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.count: dict[str, int] = {}
        self.feed(text)
        assert self.open == []

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.heard).split())

    def handle_starttag(self, tag, attrs):
        self.links += [value for key, value in attrs if key in {"src", "href"}]
        self.ids += [value for key, value in attrs if key == "id"]
        self.count[tag] = self.count.get(tag, 0) + 1
        assert not [key for key, _ in attrs if key.startswith("on")]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in _VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in {"style", "script"}:
            self.heard.append(data)


def page(text: str) -> Page:
    """A page that asks nobody for anything, and whose links lead to what it has."""
    found = Page(text)
    assert {link.removeprefix("#") for link in found.links} <= {*found.ids}
    assert all(link.startswith("#") for link in found.links)
    assert len(found.ids) == len({*found.ids})
    assert not re.search(r"url\(|@import", text)
    return found
