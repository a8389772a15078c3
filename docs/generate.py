"""Write what comes from the code: rules.md, machines.md, lint.md, settings.md, shadow.md, the drawing of design.md.

python docs/generate.py           write them
python docs/generate.py --check   exit 1, and name them, if they are not up to date
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import page

import imports
from miscast import machines, rules
from miscast.lint import rules as lint_rules, systems
from miscast.shadowing import pages as numbers

HERE = Path(__file__).parent
NOTE = "<!-- Written by docs/generate.py from the code: change it there. -->"


def rules_page() -> Iterator[str]:
    """One section per rule, from its docstring."""
    yield f"# Rules\n\n{NOTE}\n"
    for rule in rules.known():
        yield f"- [{rule.name}](#{rule.name}): {rule.summary}"
    for rule in rules.known():
        strict = "\nOnly with `--strict`.\n" if rule.strict else ""
        page = rule.page.replace("\n## ", "\n### ")
        yield f"\n## {rule.name}\n{strict}\n{page}"


def machines_page() -> Iterator[str]:
    """One row per machine, and where the facts are from."""
    yield f"# Machines\n\n{NOTE}\n\nWhat `--machine` knows; `4xv100` is four of them.\n"
    yield "| machine | is | memory | native | emulated | storage only | missing |\n|---|---|---|---|---|---|---|"
    for machine in machines.known():
        memory = f"{machine.memory / (1 << 30):.0f} GiB" if machine.memory else ""
        dtypes = (machine.native, machine.emulated, machine.storage, machine.missing)
        yield f"| {' | '.join((machine.name, machine.title, memory, *map(', '.join, dtypes)))} |"
    yield "\n## Peak rates\n\nOf data sheets; what forecasts rest on: 10^12 operations a second, dense, and GB/s.\n"
    columns = ("float64", "float32", "tf32", "float16", "bfloat16", "float8_e4m3fn", "int8")
    yield f"| machine | {' | '.join(columns)} | memory | source |\n|{'---|' * (len(columns) + 3)}"
    for machine in machines.known():
        if machine.peak is not None:
            rates = [f"{machine.peak.rates[one] / 1e12:g}" if one in machine.peak.rates else "" for one in columns]
            yield f"| {' | '.join((machine.name, *rates))} | {machine.peak.bandwidth / 1e9:g} | {machine.peak.source} |"
    yield "\n## Sources\n"
    for machine in machines.known():
        yield f"### {machine.name}\n"
        for fact, source in machine.sources.items():
            yield f"- {fact}: {source}"
        yield ""


def _by_hand(name: str) -> str:
    """What a page has before the note that the rest of it is written from the code."""
    file = HERE / name
    return file.read_text(encoding="utf-8").partition(NOTE)[0] if file.exists() else ""


def _listed(name: str, rules: Iterable[Any]) -> str:
    """A page's text by hand, and the list of its rules."""
    lines = [f"- [{rule.name}](#{rule.name}): {rule.summary}" for rule in rules]
    return "\n".join([f"{_by_hand(name)}{NOTE}\n\n## Rules\n", *lines])


def _section(rule: Any) -> str:
    """A rule's page below the title of its page."""
    page = rule.page.replace("\n## ", "\n#### ")
    return f"\n### {rule.name}\n\n{page}"


def lint_page() -> Iterator[str]:
    """One section per rule of `miscast lint`, from its docstring; what stands before the note is written by hand."""
    yield _listed("lint.md", lint_rules.known())
    for rule in lint_rules.known():
        yield _section(rule)
        if rule.conflicts:
            yield "\n#### Sources"
            for conflict in rule.conflicts:
                keys = ", ".join(f"`{key}`" for key in conflict.keys) or "no flag"
                heirs = " and what is based on it" if conflict.inherited else ""
                yield f"- {conflict.system}{heirs}, {keys}: {conflict.source}"


def settings_page() -> Iterator[str]:
    """One table per system: what `lint` knows of its keys, and where that was read."""
    yield f"# Settings\n\n{NOTE}\n\nWhat `miscast lint` knows of each system, and where it was read.\n"
    for system in systems.known():
        yield f"## {system.title}\n\n{system.version}; {system.source}\n"
        yield "| key | values | default | means | source |\n|---|---|---|---|---|"
        for key in system.keys:
            values = ", ".join(map(str, key.allowed)) or {"bool": "true, false"}.get(key.kind, key.kind)
            default = "" if key.default is None else str(key.default)
            until = f" (since {key.since})" if key.since else f" (until {key.until})" if key.until else ""
            cells = (f"`{key.name}`{until}", values, default, key.means, key.source)
            yield f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
        yield ""


def design_page() -> Iterator[str]:
    """The page as it is, with a drawing of who imports whom; what another part imports anyway is left out of it."""
    needs = imports.needed()
    drawn = {name for name in needs if (imports.ROOT / name).is_dir() or name in ("api", "cli")}
    downwards = [name for layer in reversed(imports.LAYERS) for name in layer if name in drawn]
    arrows = [f"    {name} --> {other}" for name in downwards for other in sorted(drawn & needs[name])]
    text = "\n".join(["```mermaid", "flowchart TD", *arrows, "```"])
    yield page.filled(HERE / "design.md", "python docs/generate.py", text)


def shadow_page() -> Iterator[str]:
    """One section per kind of loss, from its docstring; what stands before the note is written by hand."""
    yield _listed("shadow.md", numbers.known())
    yield from map(_section, numbers.known())


PAGES = {
    "design.md": design_page,
    "rules.md": rules_page,
    "machines.md": machines_page,
    "lint.md": lint_page,
    "settings.md": settings_page,
    "shadow.md": shadow_page,
}


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them."""
    stale = []
    for name, lines in PAGES.items():
        text = "\n".join(lines()).rstrip("\n") + "\n"
        file = HERE / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in arguments:
                file.write_text(text, encoding="utf-8")
    if stale:
        print(f"{'out of date' if '--check' in arguments else 'written'}: {', '.join(stale)}")
    return int(bool(stale) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
