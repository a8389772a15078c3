"""A flight as one HTML page that needs nothing else: a curve for each series, a line where something happened."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from html import escape

from .chart import is_wide
from .flight import Flight, Points
from .flight_text import TITLES, headline, summary

_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 860, 170, 64, 20
_MOST = 1500
"""Points of a curve: more are thinned out, to the least and the most of each column."""
_STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --dim: #667; --grid: #8884; --line: #2f6fde; --bad: #d1242f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --dim: #9aa4b2; --line: #6ea8fe; --bad: #ff7b72; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); max-width: 900px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.25rem; } h2 { font-size: 1rem; margin: 1.6rem 0 .2rem; }
h2 span { color: var(--dim); font-weight: normal; }
svg { width: 100%; height: auto; } text { fill: var(--dim); font-size: 12px; }
.curve { fill: none; stroke: var(--line); stroke-width: 1.5; stroke-linejoin: round; }
.grid { stroke: var(--grid); } .bad { stroke: var(--bad); stroke-width: 1.5; } .dot { fill: var(--bad); }
pre { background: var(--grid); padding: .6rem .8rem; overflow-x: auto; border-radius: 6px; font-size: 13px; }
"""
_COLOURS = (
    "#2f6fde",
    "#d9730d",
    "#2da44e",
    "#8250df",
    "#bf3989",
    "#1b7c83",
    "#9a6700",
    "#57606a",
)


def page(flight: Flight) -> str:
    """The whole document."""
    title = escape(headline(flight))
    body = "\n".join(_parts(flight))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f"<style>{_STYLE}</style></head><body>\n<h1>{title}</h1>\n{body}\n</body></html>\n"
    )


def _parts(flight: Flight) -> Iterator[str]:
    for one in flight.incidents[:50]:
        told = "\n".join(
            (f"{one.kind}  step {one.step}: {one.lines[0]}", *one.lines[1:])
        )
        yield f"<pre>{escape(told)}</pre>"
    for name, title in TITLES.items():
        points = flight.series.get(name, ())
        if len({value for _, value in points}) > 1:
            yield f"<h2>{title} <span>{escape(summary(points))}</span></h2>"
            yield _chart({title: points}, flight)
    if flight.ratios:
        last = ", ".join(
            f"{name} {points[-1][1]:.2g}"
            for name, points in list(flight.ratios.items())[:4]
        )
        yield f"<h2>update / weight, by module <span>last: {escape(last)} …</span></h2>"
        yield _chart(flight.ratios, flight)
        yield _legend(flight.ratios)


def _chart(curves: Mapping[str, Points], flight: Flight) -> str:
    finite = [v for points in curves.values() for _, v in points if math.isfinite(v)]
    if not finite:
        return "<p>never finite</p>"
    wide = is_wide(finite)
    low, high = min(finite), max(finite)
    bottom, top = (math.log10(v) if wide else v for v in (low, high))

    def x(step: int) -> float:
        return _LEFT + (step - 1) / max(1, flight.steps - 1) * (_WIDTH - _LEFT - 8)

    def y(value: float) -> float:
        at = (math.log10(value) if wide else value) - bottom
        return 8 + (1 - at / ((top - bottom) or 1)) * (_HEIGHT - _BOTTOM - 8)

    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">']
    for value in (low, high):
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>'
        )
        parts.append(
            f'<text x="{_LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>'
        )
    for step, anchor in ((1, "start"), (flight.steps, "end")):
        parts.append(
            f'<text x="{x(step):.1f}" y="{_HEIGHT - 4}" text-anchor="{anchor}">{step:,}</text>'
        )
    for one in flight.incidents[:200]:
        told = escape(f"{one.kind}  step {one.step}: {one.lines[0]}")
        at = f'x1="{x(one.step):.1f}" x2="{x(one.step):.1f}" y1="4" y2="{_HEIGHT - _BOTTOM}"'
        parts.append(f'<line class="bad" {at}><title>{told}</title></line>')
    for number, (name, points) in enumerate(curves.items()):
        colour = (
            f' style="stroke:{_COLOURS[number % len(_COLOURS)]}"'
            if len(curves) > 1
            else ""
        )
        for piece in _pieces(points):
            path = " ".join(
                f"{x(step):.1f},{y(value):.1f}" for step, value in _thinned(piece)
            )
            parts.append(
                f'<polyline class="curve"{colour} points="{path}"><title>{escape(name)}</title></polyline>'
            )
        parts += [
            f'<circle class="dot" cx="{x(step):.1f}" cy="8" r="3.5"><title>step {step}: {value}</title></circle>'
            for step, value in points
            if not math.isfinite(value)
        ][:200]
    return "".join([*parts, "</svg>"])


def _pieces(points: Points) -> Iterator[Points]:
    """Between the values that are not finite."""
    piece: list[tuple[int, float]] = []
    for step, value in points:
        if math.isfinite(value):
            piece.append((step, value))
        elif piece:
            yield tuple(piece)
            piece = []
    if piece:
        yield tuple(piece)


def _thinned(points: Points) -> Points:
    if len(points) <= _MOST:
        return points
    size = -(-len(points) * 2 // _MOST)
    found: list[tuple[int, float]] = []
    for at in range(0, len(points), size):
        some = points[at : at + size]
        found += sorted({min(some, key=lambda p: p[1]), max(some, key=lambda p: p[1])})
    return tuple(found)


def _legend(curves: Mapping[str, Points]) -> str:
    names = (
        f'<span style="color:{_COLOURS[number % len(_COLOURS)]}">&#9644; {escape(name)}</span>'
        for number, name in enumerate(curves)
    )
    return f"<p>{' &nbsp; '.join(names)}</p>"
