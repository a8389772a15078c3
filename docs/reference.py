"""The reference pages that are generated from the code: rules, settings, machines and commands.

The site generates them each time it is built. Of other packages, that needs only Rich and msgspec.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from miscast.commands import arguments
from miscast.core import machines
from miscast.judging import rules
from miscast.lint import systems

NOTE = "<!-- Written by docs/generate.py from the code: change it there. -->"


def rules_page() -> Iterator[str]:
    """Yield a section for each rule of `check`, from its docstring."""
    yield f"# Rules\n\n{NOTE}\n"
    yield "The rules of `check` and `run --shadow`. `miscast rules ID` prints a page. Rules for settings"
    yield "are in [Lint rules](lint-rules.md).\n"
    for rule in rules.known():
        yield f"- [{rule.name}](#{rule.name}): {rule.summary}"
    for rule in rules.known():
        strict = "\nOnly with `--strict`.\n" if rule.strict else ""
        page = rule.page.replace("\n## ", "\n### ")
        yield f"\n## {rule.name}\n{strict}\n{page}"


def machines_page() -> Iterator[str]:
    """Yield a row for each machine, and the source of each fact."""
    yield f"# Machines\n\n{NOTE}\n\nThe machines that `--machine` accepts. `4xv100` is a machine with four V100s.\n"
    yield "| machine | device | memory | native | emulated | storage only | missing |\n|---|---|---|---|---|---|---|"
    for machine in machines.known():
        memory = f"{machine.memory / (1 << 30):.0f} GiB" if machine.memory else ""
        dtypes = (machine.native, machine.emulated, machine.storage, machine.missing)
        yield f"| {' | '.join((machine.name, machine.title, memory, *map(', '.join, dtypes)))} |"
    yield "\n## Peak rates\n\nThe forecasts of `miscast plan` use these rates from data sheets. Dtypes are"
    yield "in 10^12 operations per second. Memory, host and peers are in GB/s; host and peers count one direction.\n"
    columns = ("float64", "float32", "tf32", "float16", "bfloat16", "float8_e4m3fn", "int8")
    yield f"| machine | {' | '.join(columns)} | memory | host | peers | source |\n|{'---|' * (len(columns) + 5)}"
    for machine in machines.known():
        if machine.peak is not None:
            rates = [f"{machine.peak.rates[one] / 1e12:g}" if one in machine.peak.rates else "" for one in columns]
            link = machine.link
            moved = (f"{link.host / 1e9:g}", f"{link.peers / 1e9:g}") if link is not None else ("", "")
            source = f"{machine.peak.source}; {link.source}" if link is not None else machine.peak.source
            row = (machine.name, *rates, f"{machine.peak.bandwidth / 1e9:g}", *moved, source)
            yield f"| {' | '.join(row)} |"
    yield "\n## Sources\n"
    for machine in machines.known():
        yield f"### {machine.name}\n"
        for fact, source in machine.sources.items():
            yield f"- {fact}: {source}"
        yield ""


def settings_page() -> Iterator[str]:
    """Yield a table for each system, with the keys that `lint` reads and the source of each."""
    yield f"# Settings\n\n{NOTE}\n\nThe settings that `miscast lint` reads, by tool, with the source of each fact.\n"
    for system in systems.known():
        yield f"## {system.title}\n\n{system.version}; {system.source}\n"
        yield "| key | values | default | meaning | source |\n|---|---|---|---|---|"
        for key in system.keys:
            values = ", ".join(map(str, key.allowed)) or {"bool": "true, false"}.get(key.kind, key.kind)
            default = "" if key.default is None else str(key.default)
            until = f" (since {key.since})" if key.since else f" (until {key.until})" if key.until else ""
            cells = (f"`{key.name}`{until}", values, default, key.means, key.source)
            yield f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
        yield ""


def commands_page() -> Iterator[str]:
    """Yield a section for each command: its page and its options."""
    yield f"# Commands\n\n{NOTE}\n\n`miscast COMMAND --help` prints the same. All commands exit with 0 for no findings,"
    yield "1 for findings, and 2 if Miscast itself failed; one line on stderr then gives the reason.\n"
    for one in arguments.described():
        yield f"\n## {one.command.name}\n\n```text\n{one.command.page.strip()}\n```\n"
        rows = [each for each in (*one.options, *one.positional) if "--help" not in each.names]
        if rows:
            yield "| argument | meaning |\n|---|---|"
            yield from (f"| `{each.spelled.replace('|', '/')}` | {each.help.replace('|', '/')} |" for each in rows)


SITE = {
    "commands.md": commands_page,
    "rules.md": rules_page,
    "settings.md": settings_page,
    "machines.md": machines_page,
}
"""The reference pages of the site. All but `commands.md` are in git as well: pages and reports link to them."""


def texts(pages: Mapping[str, Callable[[], Iterable[str]]]) -> dict[str, str]:
    """Return the text of each page by its name."""
    return {name: "\n".join(lines()).rstrip("\n") + "\n" for name, lines in pages.items()}
