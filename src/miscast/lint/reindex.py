"""Write index.json, which `index` reads.

python -m miscast.lint.reindex
"""

from __future__ import annotations

import json

from . import formats, index, systems


def text() -> str:
    """Return what index.json has to hold."""
    found = {}
    for package, entries in (
        (formats, formats.entries()),
        (systems, systems.entries()),
    ):
        files = dict(index.modules(package.__path__))
        found[package.__name__.rpartition(".")[2]] = {
            name: {"checksum": index.checksum(files[name])} | entry
            for name, entry in entries.items()
        }
    return json.dumps(found, indent=1) + "\n"


if __name__ == "__main__":
    found = text()
    with open(index.FILE, "w", encoding="utf-8") as stream:
        stream.write(found)
