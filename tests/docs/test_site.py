"""The site: it builds without a warning, every link in it leads somewhere, and nothing is loaded from a network."""

from __future__ import annotations

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = Path(sys.prefix) / "site"
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not TOOLS.exists(), reason="make test-all installs mkdocs")]


class Page(HTMLParser):
    """The ids of a page, what it links to, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads = {"", "top"}, set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.add(given.get("id") or given.get("name") or "")
        if tag == "a" and given.get("href"):
            self.links.add(given["href"])
        if given.get(LOADED.get(tag, "-")) and given.get("rel") != "canonical":
            self.loads.add(given[LOADED[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    to = tmp_path_factory.mktemp("site")
    env = os.environ | {"PYTHONPATH": str(TOOLS), "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", to]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    return {file: Page(file.read_text("utf-8")) for file in to.rglob("*.html")}


def test_every_link_leads_somewhere(site):
    broken = []
    for file, page in site.items():
        for link in page.links:
            parts = urlsplit(link)
            to = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            fine = to in site and unquote(parts.fragment) in site[to].ids if to.suffix == ".html" else to.exists()
            if not parts.scheme and not fine and file.name != "404.html":
                broken.append((file.name, link))
    assert len(site) > 30
    assert broken == []


def test_nothing_is_loaded_from_a_network(site):
    assert {load for page in site.values() for load in page.loads if urlsplit(load).netloc} == set()


def test_every_page_is_in_the_navigation(site):
    (index,) = (page for file, page in site.items() if file.name == "index.html")
    listed = {unquote(urlsplit(link).path) for link in index.links}
    root = next(file for file in site if file.name == "index.html").parent
    pages = {file.relative_to(root).as_posix() for file in site}
    assert pages - listed == {"404.html"}
