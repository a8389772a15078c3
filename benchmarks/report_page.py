"""Measure the HTML page of a long run: its size, the time to write it, and to open it in Chromium.

    python benchmarks/report_page.py            # a table in Markdown; the last column needs chromium

A transformer is trained on the virtual machine for as many steps as make so many ops, with a mistake in each block.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import torch
from torch import nn

import miscast
from miscast.report.html import render

sys.path.append(str(Path(__file__).parents[1] / "tests"))
OPS = (1_000, 10_000, 80_000)
RUNS = 3


class Block(nn.Module):
    """Of a transformer, without attention."""

    def __init__(self, width: int) -> None:
        """So wide."""
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """As always."""
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


def training(steps: int) -> None:
    """Forty blocks, of which every fourth has a dtype of its own."""
    blocks = [Block(64) for _ in range(40)]
    for number, block in enumerate(blocks):
        block.to(torch.float16 if number % 4 == 0 else torch.float32)
    model = nn.Sequential(*blocks).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(steps):
        model(torch.randn(4, 16, 64, device="cuda")).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def report(ops: int) -> miscast.Report:
    """Of a run that has at least so many ops."""
    one, two = (miscast.check(training, steps, machine="a100").ops for steps in (1, 2))
    return miscast.check(training, 1 + max(0, -((one - ops) // (two - one))), machine="a100")


def opened(text: str) -> str:
    """Seconds until Chromium has laid it out, the best of some runs."""
    from browser import FOUND, browser

    if FOUND is None:
        return "no Chromium"
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "report.html")
        page.write_text(text, "utf-8")
        taken = []
        with browser(Path(folder, "profile")) as tab:
            for _ in range(RUNS):
                begin = time.perf_counter()
                tab.show(page)
                tab.value("document.body.getBoundingClientRect().height")
                taken.append(time.perf_counter() - begin)
    return f"{min(taken):.2f} s"


def main() -> None:
    print("| ops | findings | modules | page | written in | opens in |\n| --- | --- | --- | --- | --- | --- |")
    for ops in OPS:
        found = report(ops)
        render(found)  # templates are compiled once
        begin = time.perf_counter()
        text = render(found)
        took = time.perf_counter() - begin
        size = len(text.encode()) / 1e6
        print(
            f"| {found.ops:,} | {len(found)} | {len(found.stages)} | {size:.2f} MB | {took:.2f} s | {opened(text)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
