"""Reports for the page, one of all that it can tell and one of hostile names; and what a page says."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

from rich.text import Text

from miscast.core.event import Assumption, Block, Location, Memory, Placed, Stage
from miscast.core.finding import Edit, Fix
from miscast.core.meeting import Met
from miscast.report.suppressions import Remark, Suppressed, Suppressions
from miscast.report.view import (
    Bar,
    Bars,
    Cell,
    Curves,
    Dot,
    Dots,
    Grid,
    Mark,
    Patch,
    Words,
)
from reports import everything, full

_VOID = {"meta", "line", "polyline", "polygon", "path", "br"}


class Page(HTMLParser):
    """Raises for a tag that is not closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.heard: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.count: dict[str, int] = {}
        self.feed(text)
        assert self.open == []

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.heard).split())

    def handle_starttag(self, tag, attrs):
        self.links += [value for key, value in attrs if key in {"src", "href"}]
        self.ids += [value for key, value in attrs if key == "id"]
        self.count[tag] = self.count.get(tag, 0) + 1
        assert not [key for key, _ in attrs if key.startswith("on")]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in _VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in {"style", "script"}:
            self.heard.append(data)


def page(text: str) -> Page:
    """A page that asks nobody for anything, and whose links lead to what it has."""
    found = Page(text)
    assert {link.removeprefix("#") for link in found.links} <= {*found.ids}
    assert all(link.startswith("#") for link in found.links)
    assert len(found.ids) == len({*found.ids})
    assert not re.search(r"url\(|@import", text)
    return found


HOSTILE = "</script><img src=x onerror=alert(1)>\"'&\x00\u202e\u2066{{ 7*7 }}\ud800`|::"
AT = Location(file="train.py", line=3, function="main", code="x = torch.ones(3)")
STAGES = (
    Stage(path="net", kind="Net", parameters=(Placed(dtype="float32", device="cuda:0"),),
          compute=(Placed(dtype="bfloat16", device="cuda:0"),), calls=3),
    Stage(path="layers.0-3", kind="Block", depth=1, alike=4, modules=7),
    Stage(path="norm", kind="Norm", depth=2),
    Stage(path="head", kind="Linear", depth=1),
)
MET = (
    Met(op="all_reduce", ranks=(0, 1), at=(AT, AT), said=("all_reduce", "all_reduce"), dtype="float32", count=12),
    Met(op="barrier", ranks=(0, 1), at=(AT, None), said=("barrier", ""), fits=False),
)  # fmt: skip
COURSE = tuple((n, 10 * n, 0, 0, 0, 5, 0) for n in range(40))


def whole(**more):
    held = {"capacity": 1 << 20, "peak": 395, "parameters": 390, "activations": 5}
    peak = Memory(device="cuda:0", location=AT, course=COURSE, **held)
    block = Block(file="train.py", first=3, last=9, line=3, condition="args.ema", kind="flag", does=("update",))
    parts = {"stages": STAGES, "met": MET, "ranks": 2, "memory": (peak,), "reach": (block,)}
    return replace(everything(), **parts | more)


class Drawings:
    """A section with a view of every kind."""

    name = "drawings"

    def lines(self, width):
        yield Text(f"six drawings in {width} columns")

    def data(self):
        return {"drawings": 6}

    def views(self):
        nan = float("nan")
        yield Words(text="a word, and\nanother line", label="label", tone="warn")
        cells = (Cell(text="fp16"), Cell(text="2", tone="bad", note="why", findings=(("both", 1), ("one", 2))))
        yield Grid(title="A grid", head=("machine", "fp16"), rows=(cells, cells[:1]), note="of two rows", heads=1)
        yield Bars(
            title="Bars", bars=(Bar(number="12", name="ops", told="most", length=0.25), Bar(number="1", name="x"))
        )
        steep = tuple((float(n), 10.0 ** (n - 2)) for n in range(6))
        gaps = ((0.0, 1.0), (1.0, nan), (2.0, -3.0), (3.0, 0.5), (4.0, float("inf")))
        marks = Mark(x=1.0, text="skipped"), Mark(x=9.0, text="behind the end")
        yield Curves(title="Steep", about="it grows", curves=(("loss", steep), ("other", steep[2:])), marks=marks)
        yield Curves(title="Gaps", about="it has none", curves=(("loss", gaps),), x="epoch")
        yield Curves(title="Flat", about="it stays", curves=(("loss", ((5.0, 2.0),)),))
        dots = (
            Dot(x=0.25, y=0.75, name="bf16", told="the best", size=0.5, tone="good"),
            Dot(x=1.0, y=0.0, name="b", told=""),
        )
        yield Dots(
            title="Dots",
            about="weighed",
            dots=dots,
            across=("small", "large"),
            up=("slow", "fast"),
            limit=(0.5, "80 GB"),
        )
        yield Patch(title="A patch", diff="--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n same\n-old\n+new\n")


def most():
    """One of all that any format tells; its program is PROGRAM, in a file "train.py"."""
    half, full_, cpu = (
        Placed(dtype=d, device=w) for d, w in (("float16", "cuda:0"), ("float32", "cuda:0"), ("float32", "cpu"))
    )
    at = replace(AT, line=4, code="y = net(x)")
    by_rank = (
        Stage(
            path="net",
            kind="Net",
            parameters=(half, full_),
            inputs=(half,),
            compute=(half,),
            outputs=(full_, cpu),
            calls=1200,
            ranks=(0,),
        ),
        Stage(path="norm", kind="Norm", depth=1, parameters=(half,), outputs=(half,), ranks=(0,)),
        Stage(path="net", kind="Net", parameters=(cpu,), compute=(full_,), ranks=(1, 2, 3), modules=1),
    )
    apart = replace(MET[0], op="broadcast", ranks=(1, 2, 3), at=(AT, at, AT), said=("broadcast",) * 3, count=1)
    other = replace(MET[0], ranks=(0, 1, 2), at=(AT, AT, None), said=("all_reduce", "barrier", ""), fits=False)
    course = tuple((n, 100 * n, 20 * n, n, 7, 50, 3 * n) for n in range(5))
    small = Memory(
        device="cpu",
        location=None,
        course=course,
        capacity=0,
        peak=700,
        parameters=400,
        gradients=2 << 10,
        optimizer=3 << 20,
        activations=40 << 30,
    )
    ranks = tuple(
        Memory(device=f"cuda:{n}", rank=n, capacity=2 << 30, peak=(1 << 30) + (n == 2), location=at) for n in range(3)
    )
    blocks = (
        Block(
            file="train.py",
            first=3,
            last=9,
            line=3,
            condition="args.ema",
            kind="flag",
            does=("a", "b", "c", "d"),
            torch=True,
            values={"args.ema": ("None", "0")},
            why="other code reads it, too",
        ),
        Block(file="train.py", first=12, last=12, line=11, condition="step % 2", kind="flag", forced=True),
        Block(
            file="train.py",
            first=20,
            last=31,
            line=19,
            condition="size < 3",
            kind="flag",
            forced=True,
            ended="time limit reached",
        ),
        Block(file="train.py", first=40, last=41, line=40, condition="except OSError", kind="guard"),
    )
    first, *others = everything().findings
    edits = (
        Edit(file="train.py", start_line=4, end_line=5, replacement="y = net(x.half())\n"),
        Edit(file="train.py", start_line=2, end_line=2, replacement=""),
    )
    ways = (Fix(title="not tried", edits=()), Fix(title="tried", verified=True, safe=True, edits=edits))
    second = replace(first, location=at, fixes=ways, callers=(), count=2)
    hidden = (
        Suppressed(finding=first, by="comment", reason="as measured", at=at),
        Suppressed(finding=second, by="baseline"),
    )
    remarks = (
        Remark(location=at, says="ignore[loss-rounds] has no effect"),
        Remark(location=AT, says="unknown rule 'x'"),
    )
    sections = Suppressions(suppressed=hidden, unused=remarks[:1], mistakes=remarks[1:]), Drawings()
    return whole(
        findings=(first, second, *others),
        stages=by_rank,
        met=(*MET, apart, other),
        memory=(small, *ranks),
        reach=blocks,
        sections=sections,
        ranks=20,
    )


PROGRAM = """\
import torch
net = torch.nn.Linear(3, 3)
x = torch.ones(3)
y = net(x)

    # indented
"""


def hostile():
    at = Location(file=f"{HOSTILE}.py", line=1, function=HOSTILE, module=HOSTILE, code=HOSTILE)
    first, *_ = full().findings
    bad = replace(
        first, message=HOSTILE, rule=HOSTILE, error=HOSTILE, location=at, callers=(at,), arguments=(HOSTILE,),
        fixes=(Fix(title=HOSTILE, edits=(Edit(file=HOSTILE, start_line=1, end_line=1, replacement=HOSTILE),)),),
        operands=tuple(replace(one, name=HOSTILE, path=HOSTILE) for one in first.operands),
    )  # fmt: skip
    stage = replace(STAGES[0], path=HOSTILE, kind=HOSTILE)
    met = replace(MET[0], op=HOSTILE, at=(at, at), said=(HOSTILE, HOSTILE))
    return whole(
        findings=(bad,), stages=(stage,), met=(met,), ended=HOSTILE, unchecked={HOSTILE: 1}, notes=(HOSTILE,),
        machine=HOSTILE, torch=HOSTILE, assumed=(Assumption(what=HOSTILE, value=HOSTILE, location=at),),
    )  # fmt: skip
