"""The report for a person, as text.

    error[operand-dtype-mismatch]  linear mixes float32 `input` with float16 `weight`
      train.py:112  unet.time_embedding.linear_1           emb = unet.time_embedding(t_emb)
      input   float32  promoted by cat at train.py:109     x = torch.cat([latent, mask], dim=1)
           ←  float32  born at train.py:98                 mask = torch.ones(n, 1, 64, 64)
      weight  float16  cast at train.py:41                 unet = unet.half()
      help    give `ones` its dtype at train.py:98: torch.ones(n, 1, 64, 64, dtype=torch.float16)  safe
      torch   RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half
      └ also  conv2d at train.py:112
      └ also  3 more that follow from it

Where the code does not fit beside the rest, it stands on a line of its own. A finding is told in at most twelve lines,
unless the report is to be `verbose`.
"""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, TextIO

from .page import Page, plain
from .paragraphs import lines

if TYPE_CHECKING:
    from .report import Report

WIDTH = 100


def render(report: Report, *, width: int = WIDTH, verbose: bool = False) -> str:
    """The report without colour."""
    return plain(lines(report, width, verbose=verbose))


def show(report: Report, file: TextIO, *, verbose: bool = False) -> None:
    """Print the report: in colour and in the terminal's width on a terminal, plain where it is piped."""
    page = Page(file, width=WIDTH)
    page.put(lines(report, page.width, verbose=verbose))


def notebook(report: Report) -> str:
    """The report as a fragment of HTML."""
    from rich.console import Console

    console = Console(
        file=StringIO(),
        record=True,
        width=110,
        force_terminal=True,
        force_jupyter=False,
    )
    for line in lines(report, console.width):
        console.print(line, soft_wrap=True, highlight=False)
    return console.export_html(
        inline_styles=True, code_format='<pre style="line-height:1.3">{code}</pre>'
    )
