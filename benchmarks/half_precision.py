"""What half precision loses, measured and drawn: `python benchmarks/half_precision.py [--write]`.

Each figure is a function that computes in float64, float32, bfloat16 and float16, draws the error, and says in a
sentence what was measured. With --write the drawings go to `docs/half-precision/`, the sentences into
`docs/half-precision.md`. Needs matplotlib, which nothing else does: `pip install matplotlib`.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from typing import Any

import page
import torch

FOLDER = page.DOCS / "half-precision"
DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32}
COLOURS = {"bfloat16": "#d9730d", "float16": "#2f6fde", "float32": "#2da44e"}
MARKS = {"bfloat16": "o", "float16": "s", "float32": "^"}


class Figure:
    """Axes with a line for each dtype."""

    def __init__(self, name: str, across: str, up: str) -> None:
        """Named as its file."""
        import matplotlib as mpl

        mpl.use("svg")
        mpl.rcParams |= {"svg.hashsalt": "miscast", "svg.fonttype": "none", "font.size": 10}
        mpl.rcParams["axes.formatter.min_exponent"] = 4
        from matplotlib import pyplot as plt

        self.name = name
        self.drawn, self.axes = plt.subplots(figsize=(6.4, 3.0), layout="constrained")
        self.axes.set_xlabel(across)
        self.axes.set_ylabel(up)
        self.axes.grid(alpha=0.3)
        self.axes.spines[["top", "right"]].set_visible(False)

    def line(self, dtype: str, xs: list[float], ys: list[float], *, label: str = "", style: str = "-") -> None:
        """What one dtype does."""
        self.axes.plot(
            xs, ys, style, label=label or dtype, color=COLOURS[dtype], marker=MARKS[dtype], markersize=3.5, lw=1.4
        )

    def save(self) -> None:
        """As SVG, on white: it must be read on dark pages, too."""
        FOLDER.mkdir(exist_ok=True)
        beside = {"loc": "center left", "bbox_to_anchor": (1, 0.5)} if len(self.axes.lines) > 4 else {}
        self.axes.legend(frameon=False, fontsize=9, **beside)
        self.drawn.savefig(FOLDER / f"{self.name}.svg", metadata={"Date": None}, facecolor="white")


def rotary(figure: Figure) -> str:
    """The phase of a rotary embedding's fastest pair, at positions around a power of two."""
    found = {}
    for name, dtype in DTYPES.items():
        xs, ys = [], []
        for power in range(4, 18):
            positions = torch.arange(2**power, 2**power + 2**power // 2)
            xs.append(float(2**power))
            ys.append(float((positions.to(dtype).double() - positions).abs().max()))
        figure.line(name, xs, [max(y, 1e-3) for y in ys])
        found[name] = dict(zip(xs, ys, strict=True))
    figure.axes.axhline(3.14, color="#888", lw=0.8, ls=":")
    figure.axes.text(17, 4, "half a turn", color="#666", fontsize=8)
    figure.axes.set(xscale="log", yscale="log")
    figure.axes.set_xscale("log", base=2)
    return (
        f"In bfloat16, positions from 1,024 on are off by up to {found['bfloat16'][1024.0]:.0f}, which is an angle of "
        f"{found['bfloat16'][1024.0]:.0f} radians. float16 is exact up to 2,048, and off by up to "
        f"{found['float16'][8192.0]:.0f} from 8,192 on. float32 has no error in this range."
    )


def average(figure: Figure) -> str:
    """An exponential average, from 1 towards 2, for ten of its time constants."""
    decays = [0.9, 0.97, 0.99, 0.997, 0.999, 0.9997, 0.9999]
    found = {}
    for name, dtype in DTYPES.items():
        ys = []
        for decay in decays:
            value, target = torch.ones((), dtype=dtype), torch.full((), 2.0, dtype=dtype)
            for _ in range(round(10 / (1 - decay))):
                before = value.clone()
                value.mul_(decay).add_(target, alpha=1 - decay)
                if torch.equal(before, value):
                    break
            ys.append(abs(float(value) - 1))
        figure.line(name, [1 - decay for decay in decays], ys)
        found[name] = dict(zip(decays, ys, strict=True))
    figure.axes.set_xscale("log")
    figure.axes.invert_xaxis()
    figure.axes.set_xticks([1 - decay for decay in decays[::2]], [f"{decay:g}" for decay in decays[::2]], minor=False)
    figure.axes.minorticks_off()
    return (
        f"With a decay of 0.99, an average in bfloat16 stops after {found['bfloat16'][0.99]:.0%} of the distance to "
        f"its target, with 0.999 after {found['bfloat16'][0.999]:.0%}. In float16, it stops after "
        f"{found['float16'][0.999]:.0%} with 0.999, and after {found['float16'][0.9999]:.0%} with 0.9999. In float32, "
        f"it reaches {found['float32'][0.9999]:.1%}."
    )


def total(figure: Figure) -> str:
    """A running sum of numbers between 0 and 1."""
    torch.manual_seed(0)
    numbers = torch.rand(1 << 17, dtype=torch.float64)
    exact = numbers.cumsum(0)
    found = {}
    for name, dtype in DTYPES.items():
        value, xs, ys = torch.zeros((), dtype=dtype), [], []
        rounded = numbers.to(dtype)
        for count in range(1, len(numbers) + 1):
            value += rounded[count - 1]
            if count >= 16 and count & (count - 1) == 0:
                xs.append(float(count))
                ys.append(float(value) / float(exact[count - 1]))
        figure.line(name, xs, ys)
        found[name] = dict(zip(xs, ys, strict=True))
    figure.axes.set_xscale("log", base=2)
    return (
        f"After 1,024 numbers, the sum in bfloat16 is {found['bfloat16'][1024.0]:.0%} of the exact sum, and after "
        f"16,384 it is {found['bfloat16'][16384.0]:.1%}, because it no longer grows. In float16, it is "
        f"{found['float16'][16384.0]:.0%} after 16,384. `x.sum()` accumulates in float32 and has no such error."
    )


def updates(figure: Figure) -> str:
    """Steps of one size, as Adam makes them, on weights of an initialisation's size and on gains near 1."""
    torch.manual_seed(0)
    rates = [10 ** (-6 + n / 2) for n in range(9)]
    found = {}
    for name, dtype in DTYPES.items():
        for label, weights in (("0.02", torch.randn(20000) * 0.02), ("1", 1 + torch.randn(20000) * 0.05)):
            start = weights.to(dtype)
            ys = [float((start - rate != start).double().mean()) for rate in rates]
            figure.line(name, rates, ys, label=f"{name}, of {label}", style="-" if label == "0.02" else "--")
            found[name, label] = dict(zip(range(9), ys, strict=True))
    figure.axes.set_xscale("log")
    return (
        f"In bfloat16, a step of 1e-4 changes {found['bfloat16', '0.02'][4]:.0%} of weights of size 0.02, and a step "
        f"of 1e-5 changes {found['bfloat16', '0.02'][2]:.0%}. Even a step of 1e-3 changes "
        f"{found['bfloat16', '1'][6]:.0%} of weights near 1, such as a norm's gains. In float16, a step of 1e-4 "
        f"changes {found['float16', '0.02'][4]:.0%} of weights of size 0.02 and {found['float16', '1'][4]:.0%} of "
        "weights near 1."
    )


def variance(figure: Figure) -> str:
    """E[x²] - E[x]² of numbers with a mean that is so many times their deviation."""
    torch.manual_seed(0)
    means = [float(2**n) for n in range(-2, 9)]
    draws = torch.randn(16, 4096, dtype=torch.float64)
    found = {}
    for name, dtype in DTYPES.items():
        ys = []
        for mean in means:
            x = (mean + draws).to(dtype)
            exact = (mean + draws).var(-1, unbiased=False)
            by_hand = (x * x).mean(-1) - x.mean(-1) * x.mean(-1)
            error = float((by_hand.double() / exact - 1).abs().median())
            ys.append(min(error, 100.0) if math.isfinite(error) else 100.0)
        figure.line(name, means, [max(y, 1e-7) for y in ys])
        found[name] = dict(zip(means, ys, strict=True))
    figure.axes.set_xscale("log", base=2)
    figure.axes.set_yscale("log")
    return (
        f"If the mean is 16 standard deviations, E[x²] - E[x]² is off by {found['bfloat16'][16.0]:.0%} in bfloat16 "
        f"and by {found['float16'][16.0]:.1%} in float16; if it is 64, by {found['bfloat16'][64.0]:.0%} and "
        f"{found['float16'][64.0]:.0%}. The result can be negative, and its root NaN. "
        "(Median of 16 draws; results that are not finite are drawn at 100.)"
    )


def integers(figure: Figure) -> str:
    """How many of the whole numbers up to n are left."""
    counts = [float(2**n) for n in range(6, 18)]
    found = {}
    for name, dtype in DTYPES.items():
        ys = []
        for count in counts:
            kept = torch.arange(int(count)).to(dtype)
            kept = kept[torch.isfinite(kept)]
            ys.append(len(kept.unique()) / count)
        figure.line(name, counts, ys)
        found[name] = dict(zip(counts, ys, strict=True))
    figure.axes.set_xscale("log", base=2)
    thousand = {name: len(torch.arange(1000).to(dtype).unique()) for name, dtype in DTYPES.items()}
    return (
        f"bfloat16 keeps {thousand['bfloat16']} of 1,000 timesteps distinct, float16 all of them. bfloat16 keeps "
        f"{found['bfloat16'][32768.0]:.1%} of 32,768 positions, float16 {found['float16'][32768.0]:.0%}. float16 ends "
        f"at 65,504. float32 has every whole number up to 16,777,216."
    )


def scores(figure: Figure) -> str:
    """Probabilities of attention whose scores reach so far, by how far the rounding of a score moves them."""
    torch.manual_seed(0)
    sizes = [float(2**n) for n in range(11)]
    found = {}
    for name, dtype in DTYPES.items():
        ys = []
        for size in sizes:
            score = torch.rand(256, 64, dtype=torch.float64) * 2 + size - 2
            exact, rounded = score.softmax(-1), score.to(dtype).double().softmax(-1)
            ys.append(float(((rounded - exact).abs() / exact).max()))
        figure.line(name, sizes, ys)
        found[name] = dict(zip(sizes, ys, strict=True))
    figure.axes.set_xscale("log", base=2)
    figure.axes.set_yscale("log")
    query = torch.full((1, 1, 64), 33.0, dtype=torch.float16)
    beyond = float((query @ query.transpose(-1, -2)).max())
    return (
        f"In bfloat16, a score near 64 is rounded by up to 0.25, so its probability is off by "
        f"{found['bfloat16'][64.0]:.0%}; in float16, by {found['float16'][64.0]:.1%}. float16 ends at 65,504: the "
        f"product of a query and a key with 64 elements of 33 is {beyond:g} before it is divided by the root of the "
        "width."
    )


def ranges(figure: Figure) -> str:
    """How well each dtype holds a number of a size: the error of one rounding."""
    sizes = [10.0**n for n in range(-12, 7)]
    for name, dtype in DTYPES.items():
        xs, ys = [], []
        for size in sizes:
            numbers = torch.linspace(1, 9, 997, dtype=torch.float64) * size
            kept = numbers.to(dtype).double()
            error = float(((kept - numbers).abs() / numbers).max())
            xs.append(size)
            ys.append(min(error, 1.0) if math.isfinite(error) else 1.0)
        figure.line(name, xs, ys)
    figure.axes.set(xscale="log", yscale="log")
    eps = {name: float(torch.tensor(1e-8, dtype=dtype)) for name, dtype in DTYPES.items()}
    one = {name: float(torch.ones((), dtype=dtype) + torch.tensor(1e-3, dtype=dtype)) for name, dtype in DTYPES.items()}
    return (
        f"An eps of 1e-8 is {eps['float16']:g} in float16; 1 + 1e-3 is {one['bfloat16']:g} in bfloat16. bfloat16 has "
        "float32's range and three digits. float16 has four digits between 6e-5 and 65,504, and fewer below."
    )


FIGURES: dict[str, tuple[Callable[[Figure], str], str, str]] = {
    "rotary": (rotary, "position", "error of the angle (radians; 0.001 means none)"),
    "average": (average, "decay", "share of the distance"),
    "total": (total, "numbers added", "sum / exact sum"),
    "updates": (updates, "size of the step", "share of weights that change"),
    "variance": (variance, "mean / deviation", "relative error"),
    "integers": (integers, "whole numbers below n", "share that stays distinct"),
    "scores": (scores, "largest score", "error of a probability"),
    "ranges": (ranges, "size of the number", "largest relative error"),
}


def main() -> int:
    """Measure, draw, say."""
    parser = argparse.ArgumentParser(description="What half precision loses, measured and drawn.")
    parser.add_argument("--write", action="store_true", help="draw into docs/half-precision, and fill the page")
    parser.add_argument("--only", metavar="NAME", choices=tuple(FIGURES))
    given = parser.parse_args()
    torch.set_num_threads(1)
    for name, (measure, across, up) in FIGURES.items():
        if given.only not in {None, name}:
            continue
        figure: Any = Figure(name, across, up)
        said = measure(figure)
        print(f"{name}: {said}")
        if given.write:
            figure.save()
            picture = f"![{up}, by {across}](half-precision/{name}.svg)"
            page.put("half-precision.md", f"benchmarks/half_precision.py {name}", f"{picture}\n\n{said}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
