"""Draw a terminal session as an animated picture, docs/images/session.svg: real commands and what they print.

    python docs/session.py            run the commands, and write the picture
    python docs/session.py --check    exit with 1 if the picture would change

The commands run in a copy of examples/, on a terminal of 80 columns (Linux or macOS). Rich draws what they print as
SVG; CSS then reveals one block after the other. The picture has no script and loads nothing. It has colours for light
and for dark mode. Where animation is off, it shows the end of the session.
"""

from __future__ import annotations

import argparse
import io
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterable, Iterator
from fcntl import ioctl
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "session.svg"
COMMANDS = ("miscast check --machine v100 mask.py", "miscast fix --machine v100 mask.py")
COLUMNS, ROWS = 80, 100
TYPED, THINKING, BLOCK, LINE, READING = 0.035, 0.9, 0.9, 0.03, 2.5
"""Seconds: for each character of a command, before its first line, before each block and line, and after the last."""
LIGHT = TerminalTheme(
    (255, 255, 255),
    (31, 35, 40),
    [
        (87, 96, 106), (190, 30, 35), (17, 99, 41), (138, 90, 0),
        (9, 80, 174), (120, 60, 190), (15, 105, 125), (87, 96, 106),
    ],
)  # fmt: skip
DARK = TerminalTheme(
    (22, 27, 34),
    (230, 237, 243),
    [
        (139, 148, 158), (255, 123, 114), (86, 211, 100), (227, 179, 65),
        (121, 192, 255), (210, 168, 255), (86, 212, 221), (177, 186, 196),
    ],
)  # fmt: skip
FORMAT = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" role="img">
<title>miscast check finds a float32 mask in a float16 model, and miscast fix prints a verified diff</title>
<style>
text {{ font: {char_height}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }}
{styles}
</style>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})">
{matrix}
</g>
</svg>
"""
MOTION = """\
@media (prefers-reduced-motion: no-preference) {
@keyframes show { from { opacity: 0 } to { opacity: 1 } }
@keyframes type { from { clip-path: inset(0 100% 0 0) } to { clip-path: inset(0 0 0 0) } }
.l { animation: show 1ms both }
.t { animation-name: type }
}"""


def printed(command: str, folder: Path) -> Text:
    """Return what a command prints on a terminal, with its colours."""
    ours, its = pty.openpty()
    ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    unset = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR")
    env = {name: value for name, value in os.environ.items() if name not in unset}
    env |= {"TERM": "xterm-256color", "MISCAST_NO_PROGRESS": "1"}
    words = [sys.executable, "-m", *shlex.split(command)]
    with subprocess.Popen(words, cwd=folder, env=env, stdin=its, stdout=its, stderr=its):
        os.close(its)
        read = b"".join(_read(ours))
    os.close(ours)
    return Text.from_ansi(read.decode().replace("\r\n", "\n").rstrip("\n"))


def _read(terminal: int) -> Iterator[bytes]:
    try:
        while part := os.read(terminal, 1 << 16):
            yield part
    except OSError:  # the end of a terminal, on Linux
        return


def drawn(session: Iterable[tuple[str, Text]]) -> str:
    """Return commands, each with what it printed, as an SVG picture."""
    lines: list[Text] = []
    moments: list[tuple[float, float]] = []
    clock = 0.4
    for command, output in session:
        if lines:
            lines.append(Text())
            moments.append((clock, 0.0))
        lines.append(Text.assemble(("$ ", "dim"), (command, "bold")))
        typing = len(command) * TYPED
        moments.append((clock, typing))
        clock += typing + THINKING
        for line in _unspaced(output.split("\n", allow_blank=True)):
            clock += LINE if line.plain.strip() else BLOCK
            lines.append(line)
            moments.append((clock, 0.0))
        clock += READING
    light, dark = _svg(lines, LIGHT), _svg(lines, DARK)
    rules = f"@media (prefers-color-scheme: dark) {{\n{_styles(dark)}\n}}\n{MOTION}\n</style>"
    return _animated(light.replace("</style>", rules), moments)


def _unspaced(lines: Iterable[Text]) -> Iterator[Text]:
    """Yield lines without a second empty line in a row."""
    before = ""
    for line in lines:
        if line.plain.strip() or before:
            yield line
        before = line.plain.strip()


def _svg(lines: Iterable[Text], theme: TerminalTheme) -> str:
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for line in lines:
        console.print(line, no_wrap=True, crop=True, overflow="crop")
    svg = console.export_svg(title="", theme=theme, code_format=FORMAT, unique_id="s")
    # the window: its colours are styles, so that they follow the mode as well
    window = f".s-w {{ fill: {theme.background_color.hex}; stroke: {theme.ansi_colors[0].hex} }}"
    svg = re.sub(r'<rect fill="#\w+" stroke="[^"]*"', '<rect class="s-w"', svg, count=1)
    svg = re.sub(r"\n\s+", "\n", svg)
    return svg.replace("\n.s-r1 ", f"\n{window}\n.s-r1 ", 1)


def _styles(svg: str) -> str:
    return "\n".join(re.findall(r"^\.s-.*$", svg, re.MULTILINE))


def _animated(svg: str, moments: list[tuple[float, float]]) -> str:
    """Return the picture with each line in a group that appears in its moment: (seconds, how long it is typed)."""
    groups: dict[int, list[str]] = {}
    for text in re.findall(r"<text .*?</text>", svg, re.DOTALL):
        number = re.search(r' clip-path="url\(#s-line-(\d+)\)"', text)
        if number and not text.endswith(">\n</text>"):
            plain = text.replace(number.group(), "").replace("&#160;", " ")
            groups.setdefault(int(number[1]), []).append(plain)
    drawn = "\n".join(_group(texts, *moments[number]) for number, texts in groups.items())
    head, _, tail = svg.partition("<text ")
    return f"{head}{drawn}{tail.rpartition('</text>')[2]}"


def _group(texts: list[str], begin: float, typing: float) -> str:
    delay = f"animation-delay:{begin:.2f}s"
    if not typing:
        return f'<g class="l" style="{delay}">{"".join(texts)}</g>'
    # not the animation's name: that would run it where animation is off
    typed = f"animation-duration:{typing:.2f}s;animation-timing-function:steps({round(typing / TYPED)})"
    return f'<g class="l t" style="{delay};{typed}">{"".join(texts)}</g>'


def main(arguments: list[str]) -> int:
    """Write the picture, or tell whether it is up to date."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="exit with 1 if the picture would change")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "examples")
        shutil.copytree(ROOT / "examples", folder, ignore=shutil.ignore_patterns("__pycache__"))
        picture = drawn((command, printed(command, folder)) for command in COMMANDS)
    if options.check:
        return int(not PICTURE.exists() or PICTURE.read_text("utf-8") != picture)
    PICTURE.write_text(picture, "utf-8")
    print(f"{PICTURE.relative_to(ROOT)}: {len(picture.encode()) / 1024:.1f} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
