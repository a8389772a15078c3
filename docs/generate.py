"""Write what comes from the code: pages, the drawing of the architecture, the JSON Schemas.

python docs/generate.py           write them
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import architecture
import page

import imports
import reports
import traces
from miscast import __version__, dtypes, machines, report, rules, schemas
from miscast.commands import arguments
from miscast.lint import rules as lint_rules, systems
from miscast.report import rule_page
from miscast.report.repository import Repository

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
    yield "\n## Peak rates\n\nOf data sheets; what forecasts rest on: 10^12 operations a second; GB/s: of memory,"
    yield "each way from the host; each way among devices.\n"
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
    """Yield the page as written by hand, and below the note the list of `lint`'s rules."""
    yield f"{_by_hand('lint.md')}{NOTE}\n\n## Rules\n"
    for rule in lint_rules.known():
        yield f"- [{rule.name}](lint-rules.md#{rule.name}): {rule.summary}"


def lint_rules_page() -> Iterator[str]:
    """Yield a section for each rule of `lint`, from its docstring."""
    yield f"# Rules of `miscast lint`\n\n{NOTE}\n\n`miscast rules RULE` prints the page of a rule."
    for rule in lint_rules.known():
        page = rule.page.replace("\n## ", "\n### ")
        yield f"\n## {rule.name}\n\n{page}"


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


def drawing() -> Iterator[str]:
    """Who imports whom; what another part imports anyway is left out."""
    needs = imports.needed()
    drawn = {name for name in needs if (imports.ROOT / name).is_dir() or name in ("api", "cli")}
    yield architecture.drawn({name: needs[name] & drawn for name in sorted(drawn)})


def commands_page() -> Iterator[str]:
    """One section per command: what it says of itself, and its options."""
    yield f"# Commands\n\n{NOTE}\n\n`miscast COMMAND --help` says the same. Exit code of all: 0 nothing found,"
    yield "1 findings, 2 Miscast could not do its work, and one line says why."
    for one in arguments.described():
        yield f"\n## {one.command.name}\n\n```text\n{one.command.page.strip()}\n```\n"
        told = [each for each in (*one.options, *one.positional) if "--help" not in each.names]
        if told:
            yield "| | |\n|---|---|"
            yield from (f"| `{each.spelled.replace('|', '/')}` | {each.help.replace('|', '/')} |" for each in told)


def precision_page() -> Iterator[str]:
    """The handbook as it is, with the tables of dtypes and of what autocast does to which op."""
    whole = page.filled(HERE / "precision.md", "python docs/generate.py dtypes", "\n".join(_dtypes()))
    yield page.filled_in(whole, "python docs/generate.py autocast", "\n".join(_autocast()), HERE / "precision.md")


def _dtypes() -> Iterator[str]:
    """What each floating dtype holds."""
    yield "| dtype | bits | largest | smallest normal | step at 1 | whole numbers up to |\n|---|---|---|---|---|---|"
    for one in dtypes.DTYPES.values():
        if one.kind == "float" and one.tiny:
            whole = f"{2 ** (one.mantissa + 1):,}"
            bits = "4, two in a byte" if one.name.endswith("_x2") else one.bits
            yield f"| {one.name} | {bits} | {one.max:.6g} | {one.tiny:.3g} | {one.eps:.3g} | {whole} |"


LISTS = {
    "in half precision": ("lower_precision",),
    "in float32": ("float32", "float32_set_opt_dtype", "float32_append_dtype"),
    "in the widest dtype of their operands": ("promote",),
    "refused": ("forbidden",),
}


def _autocast() -> Iterator[str]:
    """The ops of each list on cuda, and where other devices differ."""
    usual = _lists("cuda")
    for title, ops in usual.items():
        yield f"**On cuda {title}:** {_named(ops)}.\n"
    yield "| | moved, beside cuda |\n|---|---|"
    for device in ("cpu", "mps", "npu", "xpu"):
        own = _lists(device)
        moved = [f"{title}: {_named(ops - usual[title])}" for title, ops in own.items() if ops - usual[title]]
        without = set().union(*usual.values()) - set().union(*own.values())
        left = [f"as they come: {_named(without)}"] if without else []
        yield f"| **{device}** | {'; '.join([*moved, *left]) or 'nothing'} |"


def _lists(device: str) -> dict[str, set[str]]:
    """The public ops of each list of a device, without the names of overloads."""
    policies = importlib.import_module(f"miscast.autocast.{device}").POLICIES
    return {
        title: {op.partition(".")[0] for kind in kinds for op in policies.get(kind, "").split() if op[0] != "_"}
        for title, kinds in LISTS.items()
    }


def _named(ops: Iterable[str]) -> str:
    return ", ".join(f"`{op}`" for op in sorted(ops))


def shadow_page() -> Iterator[str]:
    """One section per kind of loss, from its docstring; what stands before the note is written by hand."""
    pages = [*_losses()]
    yield _listed("shadow.md", pages)
    yield from map(_section, pages)


def _losses() -> Iterator[SimpleNamespace]:
    """The kinds of loss, each with the docstring of its file; some have another page among `check`'s rules."""
    for name in sorted(rule_page.of_losses()):
        text = importlib.import_module(f"miscast.shadowing.losses.{name.replace('-', '_')}").__doc__.strip()
        yield SimpleNamespace(name=name, page=text, summary=text.partition("\n")[0])


SAMPLES = {"json": "json", "jsonl": "text", "markdown": "markdown"}
"""The formats of which the page shows a sample, each with the language of the sample's block."""


def formats_page() -> Iterator[str]:
    """Return the page as written by hand, with samples of one report below the note."""
    sample = reports.report(traces.linear())
    yield f"{_by_hand('formats.md')}{NOTE}\n\n## Samples\n"
    yield "The same finding in three formats; `…` stands for text left out."
    here = os.getcwd()
    os.chdir(HERE.parent)
    try:
        for name, language in SAMPLES.items():
            text = report.renderer(name)(sample)
            yield f"\n### {name}\n\n````{language}\n{_shortened(name, text)}\n````"
    finally:
        os.chdir(here)


def _shortened(name: str, text: str) -> str:
    """Return a sample without long texts, and without what differs between versions and checkouts."""
    if name == "jsonl":
        lines = (json.dumps(_cut(json.loads(line)), ensure_ascii=False) for line in text.splitlines())
        return "\n".join(f"{line[:100]}…" for line in lines)
    return _json(_cut(json.loads(text))) if SAMPLES[name] == "json" else text.strip()


def _json(value: Any, indent: str = "", lead: str = "") -> str:
    """Return a value as JSON with each part that fits on one line, and with the first entry only of longer lists."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(lead) + len(line) <= 100 or not isinstance(value, (dict, list)):
        return f"{indent}{lead}{line}"
    inner = f"{indent}  "
    if isinstance(value, list):
        more = [f"{inner}…"] if len(value) > 1 else []
        return "\n".join([f"{indent}{lead}[", ",\n".join([_json(value[0], inner), *more]), f"{indent}]"])
    parts = (_json(part, inner, f"{json.dumps(key)}: ") for key, part in value.items())
    return "\n".join([f"{indent}{lead}{{", ",\n".join(parts), f"{indent}}}"])


def _cut(told: Any) -> Any:
    """Long texts in short."""
    if isinstance(told, dict):
        return {key: _cut(value) for key, value in told.items()}
    if isinstance(told, list):
        return [_cut(one) for one in told]
    if not isinstance(told, str):
        return told
    fixed = {__version__: "…", Repository.here().root: "file:///…/"}.get(told, told)
    return f"{fixed[:100]}…" if len(fixed) > 100 else fixed


def schema_page(name: str) -> Iterator[str]:
    """The JSON Schema of what a command writes."""
    yield json.dumps(schemas.schemas()[name], indent=2)


PAGES = {
    "architecture.svg": drawing,
    "rules.md": rules_page,
    "machines.md": machines_page,
    "lint.md": lint_page,
    "lint-rules.md": lint_rules_page,
    "settings.md": settings_page,
    "precision.md": precision_page,
    "shadow.md": shadow_page,
    "formats.md": formats_page,
    **{f"{name}.schema.json": partial(schema_page, name) for name in schemas.schemas()},
}
SITE = {"commands.md": commands_page}
"""What only the site has: `miscast COMMAND --help` says the same."""


def texts(pages: Mapping[str, Callable[[], Iterable[str]]]) -> dict[str, str]:
    """Return the text of each page by its name."""
    return {name: "\n".join(lines()).rstrip("\n") + "\n" for name, lines in pages.items()}


if __name__ == "__main__":
    for name, text in texts(PAGES).items():
        file = HERE / name
        if not file.exists() or file.read_text("utf-8") != text:
            file.write_text(text, "utf-8")
            print(f"docs/{name}")
