"""The drawing of who imports whom: a box for each part of the package, an arrow to what it imports, downwards."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

WIDTH, HEIGHT, ACROSS, DOWN, MARGIN = 152, 28, 172, 62, 12
STYLE = """\
text { font: 13px ui-sans-serif, system-ui, sans-serif; text-anchor: middle; dominant-baseline: central; fill: #1f2328 }
rect { fill: #eef2f8; stroke: #8393ad; rx: 5 }
path { fill: none; stroke: #8393ad; stroke-width: 1.2; marker-end: url(#to) }
#to path { fill: #8393ad; stroke: none; marker-end: none }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } rect { fill: #1c2636; stroke: #6f83a3 } path { stroke: #6f83a3 } #to path { fill: #6f83a3 }
}"""


def drawn(needs: Mapping[str, set[str]]) -> str:
    """An SVG of parts and what each needs; a part stands above all that it needs."""
    rows = _ordered(_rows(needs), needs)
    widest = max(map(len, rows))
    at = {
        name: (
            MARGIN + WIDTH / 2 + ACROSS * (place + (widest - len(row)) / 2),
            MARGIN + HEIGHT / 2 + DOWN * number,
        )
        for number, row in enumerate(rows)
        for place, name in enumerate(row)
        if name
    }
    size = 2 * MARGIN + ACROSS * (widest - 1) + WIDTH, 2 * MARGIN + DOWN * (len(rows) - 1) + HEIGHT
    arrows = [_arrow(at[one], at[other]) for one in at for other in sorted(needs[one])]
    boxes = [
        f'<rect x="{x - WIDTH / 2:g}" y="{y - HEIGHT / 2:g}" width="{WIDTH}" height="{HEIGHT}"/>'
        f'<text x="{x:g}" y="{y:g}">{name.replace(".", "/")}</text>'
        for name, (x, y) in at.items()
    ]
    marker = (
        '<marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z"/></marker>'
    )
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]:g} {size[1]:g}" role="img"'
    return "\n".join([
        f'{svg} aria-label="the parts of Miscast, and what each imports">',
        f"<style>\n{STYLE}\n</style>",
        f"<defs>{marker}</defs>",
        *arrows,
        *boxes,
        "</svg>",
    ])  # fmt: skip


def _rows(needs: Mapping[str, set[str]]) -> list[list[str]]:
    """Each part as high as what needs it lets it be: right below the lowest of these."""
    depth: dict[str, int] = {}

    def deep(name: str) -> int:
        if name not in depth:
            depth[name] = 1 + max((deep(other) for other in needs if name in needs[other]), default=-1)
        return depth[name]

    for name in needs:
        deep(name)
    return [sorted(n for n in needs if depth[n] == row) for row in range(1 + max(depth.values()))]


def _ordered(rows: list[list[str]], needs: Mapping[str, set[str]]) -> list[list[str]]:
    """The parts of a row from left to right as those stand that need them, so that few arrows cross."""
    place = {name: number - len(rows[0]) / 2 for number, name in enumerate(rows[0])}
    ordered = [rows[0]]
    for _, row in pairwise(rows):
        above = {name: [place[other] for other in place if name in needs[other]] for name in row}
        ordered.append(sorted(row, key=lambda name: (sum(above[name]) / max(1, len(above[name])), name)))
        place |= {name: number - (len(row) - 1) / 2 for number, name in enumerate(ordered[-1])}
    return ordered


def _arrow(begin: tuple[float, float], end: tuple[float, float]) -> str:
    (x, y), (to, below) = begin, end
    y, below = y + HEIGHT / 2, below - HEIGHT / 2
    bend = (below - y) / 2
    return f'<path d="M{x:g} {y:g}C{x:g} {y + bend:g} {to:g} {below - bend:g} {to:g} {below:g}"/>'
