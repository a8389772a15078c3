"""The reference pages of the site are generated with nothing but Rich and msgspec, so that `make site` stays quick."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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
