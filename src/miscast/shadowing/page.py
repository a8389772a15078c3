"""A shadow's report as one HTML page that needs nothing else: findings, bars of what is added, curves of the losses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from ..report.wording import place, printable
from .parting import Parted, Parting, Way
from .section import Added, LossValue, Output, Ranking, share

if TYPE_CHECKING:
    from ..finding import Finding
    from ..report import Report

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 860, 190, 70, 20
_ROWS = 40
_STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --dim: #59636e; --line: #8884; --bar: #2f6fde; --other: #d9730d; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --dim: #9aa4b2; --bar: #6ea8fe; --other: #ffa657; } }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.25rem; margin-bottom: .2rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .4rem; }
p { margin: .3rem 0; } .dim, small { color: var(--dim); }
article { border-left: 3px solid var(--other); padding: .1rem 0 .1rem .8rem; margin: 1rem 0; }
article.hint { border-color: var(--line); }
code { font: 13px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--line); padding: .5rem .7rem; overflow-x: auto; border-radius: 6px; margin: .4rem 0; }
ul { list-style: none; margin: 0; padding: 0; }
li { display: grid; grid-template-columns: 5.5rem 1fr; gap: 0 .8rem; padding: .35rem 0; }
li + li { border-top: 1px solid var(--line); }
li > b { text-align: right; font-variant-numeric: tabular-nums; font-weight: 600; }
li > div { min-width: 0; overflow-wrap: anywhere; }
.bar { height: 5px; border-radius: 3px; background: var(--bar); margin-top: .25rem; min-width: 1px; }
figure { overflow-x: auto; margin: 0; } svg { width: 100%; min-width: 34rem; height: auto; }
text { fill: var(--dim); font-size: 12px; } .grid { stroke: var(--line); }
.a, .b { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.a { stroke: var(--bar); } .b { stroke: var(--other); }
.key::before { content: "\\25AC  "; } .key.a { color: var(--bar); } .key.b { color: var(--other); }
"""


def page(report: Report) -> str:
    """The whole document."""
    (section,) = report.sections
    if isinstance(section, Parting):
        title, body = f"Beside {section.precision}", _parting(section)
    elif isinstance(section, Ranking):
        title, body = "Beside float64", _ranking(section)
    else:
        raise TypeError(section.name)
    head = f"{report.ops:,} ops · torch {report.torch} · {report.machine}"
    notes = [report.ended, *report.notes] if report.ended else report.notes
    parts = [
        f"<h1>{title}</h1><p class=dim>{escape(head)}</p>",
        *(f"<p>{_text(one)}</p>" for one in notes),
        *_findings(report.findings),
        *body,
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>miscast: {title}</title>\n<style>{_STYLE}</style></head><body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _findings(found: Sequence[Finding]) -> Iterator[str]:
    if not found:
        return
    yield f"<h2>{len(found)} {'finding' if len(found) == 1 else 'findings'}</h2>"
    for one in found:
        code = (
            f"<pre><code>{_text(one.location.code)}</code></pre>"
            if one.location.code
            else ""
        )
        fixes = "".join(f"<p class=dim>{_text(fix.title)}</p>" for fix in one.fixes)
        also = "".join(
            f"<p class=dim>{_text(other.label)} <code>{_text(place(other.location))}</code></p>"
            for other in one.related
        )
        count = f" (×{one.count:,})" if one.count > 1 else ""
        module = f" · {_text(one.location.module)}" if one.location.module else ""
        yield (
            f"<article class={one.severity}><p><b>{escape(one.rule)}</b> {_text(one.message)}{count}</p>"
            f"<p><code>{_text(place(one.location))}</code><span class=dim>{module}</span></p>"
            f"{code}{also}{fixes}</article>"
        )


def _ranking(found: Ranking) -> Iterator[str]:
    if found.loss is not None:
        one = found.loss
        yield (
            f"<p>The loss at <code>{_text(place(one.location))}</code> is {one.value:.6g}, exactly it is "
            f"{one.exact:.6g}: <b>{share(one.error)}</b> off.</p>"
        )
    for best, name in ((found.cheapest, "line"), (found.cheapest_module, "module")):
        if best is not None:
            where = best.module if name == "module" else place(best.location)  # type: ignore[union-attr]
            yield (
                f"<p>Cheapest {name}: <code>{_text(where)}</code> in a higher precision, "
                f"{share(best.share)} of the added error for {share(best.cost)} of the numbers.</p>"
            )
    yield from _list("Added by line", map(_of_line, found.added[:_ROWS]))
    most = max((one.error for one in found.outputs), default=1.0) or 1.0
    rows = (_of_output(one, most) for one in found.outputs[:_ROWS])
    yield from _list("Outputs of modules", rows)


def _of_line(one: Added) -> str:
    told = (
        f"{one.dtype} {one.module} · {one.calls:,} calls, {one.ulps:.2g} ulp, "
        f"{share(one.cost)} of the numbers"
    )
    return _row(share(one.share), place(one.location), f"{one.op}  {told}", one.share)


def _of_output(one: Output, most: float) -> str:
    moves = (
        f" · moves the loss by {share(one.reaches)}" if one.reaches is not None else ""
    )
    return _row(share(one.error), one.module, one.dtype + moves, one.error / most)


def _parting(found: Parting) -> Iterator[str]:
    if not found.parted:
        yield f"<p>In {found.precision} the program computes the same, bit for bit.</p>"
    yield from _losses(found.losses, found.precision)
    places = (_of_parted(level, one) for level, one in found.parted.items())
    yield from _list("Where they part first", places)
    outputs = sorted(
        (one for one in found.outputs if one.worst), key=lambda one: -one.worst
    )
    rows = (
        _row(
            share(one.worst),
            one.module,
            f"{one.dtype} · {share(one.first)} at the first call",
            one.worst,
        )
        for one in outputs[:_ROWS]
    )
    yield from _list("Outputs of modules", rows)
    weights = (_of_way(one, found.precision) for one in found.weights[:_ROWS])
    yield from _list("Ways of weights", weights)
    decisions = (
        _row(
            f"{one.otherwise:,}",
            place(one.location),
            f"{one.op}, of {one.of:,}",
            one.otherwise / one.of,
        )
        for one in found.decisions[:_ROWS]
    )
    yield from _list("Decided otherwise", decisions)


def _of_parted(level: float, one: Parted) -> str:
    left = "finite" if math.isinf(level) else f"by {level:.0%}" if level else "at all"
    module = f" {one.location.module}" if one.location.module else ""
    told = f"{one.op}  {one.dtype}{module} · step {one.step}, in {one.phase}, {share(one.error)} apart"
    return _row(left, place(one.location), told)


def _of_way(one: Way, precision: str) -> str:
    known = math.isfinite(one.apart)
    told = f"{one.dtype} · went {one.went:.3g}, in {precision} {one.beside:.3g}"
    return _row(
        share(one.apart) if known else "",
        one.name,
        told,
        one.apart if known else None,
    )


def _row(left: str, name: str, told: str, length: float | None = None) -> str:
    """A number, what it is of, what more there is to say of it, and its bar, of a length from 0 to 1."""
    bar = ""
    if length is not None:
        bar = f'<div class=bar style="width:{100 * min(max(length, 0.0), 1.0):.1f}%"></div>'
    return (
        f"<li><b>{escape(left)}</b><div><code>{_text(name)}</code> "
        f"<span class=dim>{_text(told)}</span>{bar}</div></li>"
    )


def _list(title: str, rows: Iterable[str]) -> Iterator[str]:
    items = "".join(rows)
    if items:
        yield f"<h2>{title}</h2><ul>{items}</ul>"


def _losses(losses: Sequence[LossValue], precision: str) -> Iterator[str]:
    """Two curves, the program's and that of the other precision."""
    numbers = [v for one in losses for v in (one.value, one.exact) if math.isfinite(v)]
    if len(losses) < 2 or not numbers:
        for one in losses:
            yield f"<p>The loss is {one.value:.6g}, in {precision} {one.exact:.6g}.</p>"
        return
    low, high = min(numbers), max(numbers)
    tall, wide = (high - low) or 1.0, len(losses) - 1

    def point(number: int, value: float) -> str:
        x = _LEFT + number / wide * (_WIDTH - _LEFT - 8)
        return f"{x:.1f},{8 + (1 - (value - low) / tall) * (_HEIGHT - _BOTTOM - 8):.1f}"

    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="the loss in both precisions">'
    ]
    for value in (low, high):
        y = point(0, value).partition(",")[2]
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH}" y1="{y}" y2="{y}"/>'
        )
        parts.append(
            f'<text x="{_LEFT - 8}" y="{float(y) + 4:.1f}" text-anchor="end">{value:.4g}</text>'
        )
    parts.append(f'<text x="{_LEFT}" y="{_HEIGHT - 4}">step {losses[0].step}</text>')
    parts.append(
        f'<text x="{_WIDTH - 8}" y="{_HEIGHT - 4}" text-anchor="end">{losses[-1].step:,}</text>'
    )
    for name, values in (
        ("b", [one.exact for one in losses]),
        ("a", [one.value for one in losses]),
    ):
        points = " ".join(point(n, v) for n, v in enumerate(values) if math.isfinite(v))
        parts.append(f'<polyline class="{name}" points="{points}"/>')
    yield f"<h2>Loss</h2><figure>{''.join(parts)}</svg></figure>"
    yield f'<p><span class="key a">the program</span> &nbsp; <span class="key b">in {precision}</span></p>'


def _text(text: str) -> str:
    return escape(printable(text))
