"""Make a random generator on the device that it is asked for: `torch.Generator(device="cuda")`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import libcst as cst

from ..change import Change, ChangeBuilder
from ..edit_site import EditSite
from ..names import spellings
from ..nodes import called, keyword, name_of, with_argument
from ..source import Source

ORDER = 3
EVERYWHERE = True
_SHUFFLE = ("random_split", "RandomSampler", "WeightedRandomSampler", "SubsetRandomSampler")  # fmt: skip


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Wherever the file makes a generator, for what a generator is on the wrong device."""
    if site.operand != "generator" or site.role != "use":
        return
    reason = "the random numbers are different on another device"
    builder = ChangeBuilder(
        source=source, site=site, order=ORDER, reason=reason, exact="generator"
    )
    # a library made it, where the line names none
    unseen = "generator" not in site.location.code
    for call in source.of(cst.Call):
        texts = partial(spellings, source, call, site)
        if called(call) == "Generator":
            bare = call.with_changes(args=[*filter(name_of, call.args)])
            yield from builder.replaced(call, *_with(bare, "device", texts()))
        elif unseen and _shuffles(call):
            made = (f"torch.Generator(device={text})" for text in texts())
            yield from builder.replaced(call, *_with(call, "generator", made))


def _with(call: cst.Call, name: str, texts: Iterable[str]) -> Iterator[cst.Call]:
    for text in texts:
        yield with_argument(call, keyword(name, cst.parse_expression(text)))


def _shuffles(call: cst.Call) -> bool:
    """Check whether a call makes a generator for a shuffle unless it is given one."""
    given = [name_of(one) for one in call.args]
    shuffles = "shuffle" in given and called(call) == "DataLoader"
    return "generator" not in given and (called(call) in _SHUFFLE or shuffles)
