"""Reports for the page, one of all that it can tell and one of hostile names; and what a page says."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

from miscast.event import Assumption, Block, Location, Memory, Placed, Stage
from miscast.finding import Edit, Fix
from miscast.meeting import Met
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
