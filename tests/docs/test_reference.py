"""The reference of the site: it has every public name, and generating it needs only Rich and msgspec."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import miscast

DOCS = Path(__file__).parents[2] / "docs"
PROGRAM = """
import sys
from pathlib import Path
from reference import SITE, texts
pages = texts(SITE)
assert all(text.startswith("# ") for text in pages.values())
files = [(name, Path(module.__file__)) for name, module in sys.modules.items() if getattr(module, "__file__", None)]
print(*sorted({name.partition(".")[0] for name, file in files if "site-packages" in file.parts}))
"""
PACKAGES = {"rich", "msgspec", "pygments", "markdown_it", "mdurl", "typing_extensions"}


@pytest.mark.slow
def test_the_reference_needs_two_packages():
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=DOCS, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert {*done.stdout.split()} - PACKAGES <= {"_distutils_hack"}


def test_the_reference_has_every_public_name():
    page = (DOCS / "api.md").read_text("utf-8")
    table, _, blocks = page.partition("\n## ")
    described = re.findall(r"^::: (\S+)\.(\w+)$", blocks, re.MULTILINE)
    assert sorted(name for _, name in described) == sorted({*miscast.__all__} - {"__version__"})
    assert {*re.findall(r"`(\w+)[(`]", table)} == {*miscast.__all__}
    for module, name in described:
        assert getattr(importlib.import_module(module), name) is getattr(miscast, name)
