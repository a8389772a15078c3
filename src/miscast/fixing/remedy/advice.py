"""Advice that was not tried: of the changes that `fixes/` would try, the two that are likeliest to fix a finding.

cast `x` at train.py:14: .to(latent.dtype)              where the failing call takes it: nothing else meets it
pass dtype=latent.dtype to `torch.ones` at train.py:12    where it was created
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice

import libcst as cst

from ...core.dtypes import DTYPES, is_floating_point
from ...core.event import Location, Scene, Scopes
from ...core.finding import Edit, Finding, Fix
from ...core.regex import regex
from .change import BLUNT, Change, Variant
from .diffs import edited
from .names import METHODS, siblings, spelled_out
from .nodes import assigned, calls_any, dotted
from .plain_words import fits_alone, in_words
from .proposing import Sources, proposed
from .safety import widens
from .source import Source
from .strategies import operand, registration

_CASTS = frozenset({"to", "type", "type_as", *METHODS.values()})
_BY_EDITS = frozenset({"autocast-forbids", "device-data-as-numpy"})
"""Rules whose words are replaced by edits, as far as there are any."""
_NUMBERS = frozenset({"number-out-of-range", "number-becomes-infinite"})
"""Rules whose words are those of an edit, where the number stands on the line."""
_PLACE, _OR = regex(r"[\w.-]+:\d+"), ", or "
_LIBRARIES = frozenset(
    {"torch", "F", "np", "math", "print", "len", "float", "int", "str"}
)


def with_edits(
    findings: Sequence[Finding], scenes: Iterable[Scene]
) -> tuple[Finding, ...]:
    """Return the findings with edits in place of words; what follows from another finding keeps its words."""
    scopes = {(one.op, one.file, one.line): one.scopes for one in scenes}
    sources = Sources({})
    return tuple(
        _with_edits(
            one, scopes.get((one.op, one.location.file, one.location.line), {}), sources
        )
        for one in findings
    )


def _with_edits(finding: Finding, scopes: Scopes, sources: Sources) -> Finding:
    words, numbers = in_words(finding), _is_of_numbers(finding)
    by_edits = finding.rule in _BY_EDITS or finding.blamed == "generator"
    known = words in finding.fixes or numbers or by_edits or finding.rule in _NUMBERS
    if finding.consequence_of is not None or not known:
        return finding
    changes = proposed(finding, scopes, sources)
    if words in finding.fixes:
        fixes = _in_place_of(words, finding, changes, numbers=numbers)
    elif numbers:
        wider = next(_edits(one for one in changes if _widens(one, finding)), None)
        others, wanted = finding.fixes, finding.wanted
        fixes = others if wider is None else beside(wider, others, wanted)
    elif by_edits:
        found = [*islice(_edits(filter(_likely, changes)), len(finding.fixes))]
        # the last words are of what can always be written
        fixes = (*finding.fixes[: len(finding.fixes) - len(found)], *found)
    else:
        edits = [_fix(one, variant) for one in changes for variant in one.variants]
        same = {one.title.replace("`", ""): one for one in edits if one is not None}
        fixes = tuple(same.get(one.title, one) for one in finding.fixes)
    return replace(finding, fixes=tuple({one.title: one for one in fixes}.values()))


def _in_place_of(
    words: Fix, finding: Finding, changes: Sequence[Change], *, numbers: bool
) -> tuple[Fix, ...]:
    """Return a finding's fixes with the chosen edits in place of words, if there are any."""
    own = chosen(changes, finding.op)
    own = [one for one in own if not _mends_a_part(one, finding)] or own
    if numbers:
        own = [one for one in own if one.exact or _widens(one, finding)]
    index = finding.fixes.index(words)
    before, after = finding.fixes[:index], finding.fixes[index + 1 :]
    return (*before, *(tuple(_edits(own)) or (words,)), *after)


def _edits(changes: Iterable[Change]) -> Iterator[Fix]:
    """Yield the changes as fixes; each is written when it is asked for."""
    edits = (_fix(one, one.variants[one.first]) for one in changes)
    return (one for one in edits if one is not None)


def beside(fix: Fix, others: Iterable[Fix], wanted: str) -> tuple[Fix, ...]:
    """Return a fix and the other advice, without other spellings or parts of it: "keep it in float32" beside a cast."""
    left = [fix]
    lines, places = changed_lines(fix.edits), set(_PLACE.findall(fix.title))
    for other in others:
        words = [
            one
            for one in other.title.split(_OR)
            if not _repeats(set(_PLACE.findall(one)), places, wanted, one)
        ]
        if other.title in fix.title:
            continue
        if other.edits and not changed_lines(other.edits) <= lines:
            left.append(other)
        elif words and not other.edits:
            left.append(replace(other, title=_OR.join(words)))
    return tuple(left)


def _repeats(at: set[str], places: set[str], wanted: str, words: str) -> bool:
    """Check for words about no other place than an edit's: those that name what is wanted, or any if nothing is."""
    return at <= places and (wanted in words if wanted else bool(at))


def changed_lines(edits: Iterable[Edit]) -> set[tuple[str, int]]:
    """Return the lines that edits change, each with its file."""
    return {
        (edit.file, line)
        for edit in edits
        for line in range(edit.start_line, max(edit.end_line, edit.start_line) + 1)
    }


def _is_of_numbers(finding: Finding) -> bool:
    """Check whether numbers are lost that a wider dtype of the blamed operand holds."""
    blamed = next((o.dtype for o in finding.operands if o.name == finding.blamed), "")
    known = {blamed, finding.wanted} <= DTYPES.keys() and blamed != finding.wanted
    # what is of no rule is an error that a program met
    silent = finding.rule and not finding.error
    wider = silent and known and widens(blamed, finding.wanted)
    return bool(wider) and fits_alone(finding)


def _widens(change: Change, finding: Finding) -> bool:
    """Check whether a change of an earlier line gives the operand another dtype, and nothing else meets it."""
    site = change.site
    # a weight that is widened alone no longer fits what it is multiplied with
    alone = site.blamed and not site.parameter
    earlier = alone and site.role not in ("use", "caller")
    likely = change.order < operand.ORDER and change.precision_loss == 0
    # what a removed cast got may have been no wider: whole numbers
    spelled = spelled_out("dtype", site.want)
    written = any(word in change.variants[change.first].title for word in spelled)
    return earlier and likely and written and _may_change(change, finding.location)


def _likely(change: Change) -> bool:
    return change.order < BLUNT and change.precision_loss == 0 and not _is_guess(change)


def _fix(change: Change, variant: Variant) -> Fix | None:
    source, data = change.source, variant.write()
    if data is None:
        return None
    edits = edited(source.path, source.data, data) if source.is_file else ()
    return Fix(title=variant.title, edits=tuple(edits))


def chosen(changes: Sequence[Change], op: str) -> list[Change]:
    """Return the change at the failing call of an op and the likeliest of those before it; else the two likeliest.

    What is cast on the line of the failing call itself needs no second cast there. In a backward pass either operand
    may be changed: the narrower one is.
    """
    own = [
        one
        for one in changes
        if one.order < BLUNT
        and (one.site.blamed or one.site.failed_op != op)
        and not _is_guess(one)
    ]
    here = next((one for one in own if one.exact), None)
    if here is not None:
        return _around(here, own)
    elsewhere = (one for one in own if one.line != own[0].line)
    return [*own[:1], *islice(elsewhere, 1)]


def _around(here: Change, own: Sequence[Change]) -> list[Change]:
    """Return the change of the operand at the failing call, with another, or the one that takes its place."""
    if here.site.about == "device":
        name = f'"{here.exact.removeprefix("self.")}"'
        for one in own:  # `.to()` is to reach what the module holds
            title = one.variants[one.first].title
            if one.order == registration.ORDER and name in title:
                return [one, here]
    if own[0].site.role == "use" and own[0].precision_loss < here.precision_loss:
        return [own[0], here]
    before = next((one for one in own if one.site.role != "use"), None)
    if (
        before is None
        or before.precision_loss > here.precision_loss
        or not _may_change(before, here.site.location, here.exact)
    ):
        return [here]
    at_once = before.site.role in ("cast", "moved") and before.line == here.line
    return [before] if at_once else [here, before]


def _is_guess(change: Change) -> bool:
    """Check whether a change may convert something else: on the failing line, or in a line that led there."""
    site = change.site
    if site.role in ("caller", "defined"):
        return not site.parameter
    counts = site.have in DTYPES and not is_floating_point(site.have)
    if site.role == "born" and (site.foreign or counts) and not site.parameter:
        return _holds_tensors(operand.result(change.source, site))
    if site.role == "born" and change.order >= operand.ORDER:
        # the result of a call that is given it, on a line before
        return change.line < site.location.line
    if site.role != "use" or change.exact or site.failed is None:
        return False
    source, line = change.source, site.location.line
    return source.statement(change.line) is source.statement(line)


def _holds_tensors(value: cst.BaseExpression | None) -> bool:
    """Check for an object of a class, which may have no `.to`: `Models(unet, vae)`, `Scheduler.from_config(…)`."""
    while isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute):
        if not isinstance(value.func.value, cst.Call):
            break
        value = value.func.value  # `Net().cuda()`
    parts = dotted(value.func).split(".") if isinstance(value, cst.Call) else ()
    return any(part[:1].isupper() and not part.isupper() for part in parts)


def _may_change(before: Change, use: Location, exact: str = "") -> bool:
    """Check that nothing else meets what an earlier line gave: a layer in between may want it as it was.

    Where the operand was computed from it since, its device was wanted there.
    """
    source = before.source
    statement = source.statement(before.line)
    if statement is None or source.path != use.file:
        return True
    names = {source.text(one) for one in assigned(statement)}
    if before.site.about == "device" and names and before.line != use.line:
        root = exact.partition("[")[0]
        if not names & {exact, root, root.partition(".")[0]}:
            return False
    between = range(source.line(statement) + 1, use.line)
    return not any(
        source.line(call) in between and _meets(source, call, names)
        for call in source.of(cst.Call)
    )


def _mends_a_part(change: Change, finding: Finding) -> bool:
    """Check whether other tensors, made as the one that is changed, keep the result as it is: `stack([xs, ys])`."""
    site, source = change.site, change.source
    if site.role != "born" or site.about != "dtype":
        return False
    alike = [o for o in finding.operands if finding.value(o) == site.have]
    if len({o.dtype_origin and o.dtype_origin.chain()[-1] for o in alike}) > 1:
        return True
    own = source.statement(change.line)
    if own is None:
        return False
    made = _made_alike(source, site.op, source.function(own))
    names = [t for t in map(source.text, assigned(own)) if made.get(t) is own]
    reads = (n for t in names for n in source.spelled.get(t, ()))
    return any(made.get(t, own) is not own for n in reads for t in siblings(source, n))


@lru_cache(maxsize=64)
def _made_alike(
    source: Source, op: str, function: cst.FunctionDef | None
) -> Mapping[str, cst.CSTNode]:
    """Return the names that a function sets to what a factory makes without a dtype or a cast, with the statements."""
    made = (
        one
        for one in source.of(cst.SimpleStatementLine)
        if source.function(one) is function
        if calls_any(one, {op}) and not calls_any(one, _CASTS)
        if "dtype" not in source.text(one)
    )
    return {source.text(name): one for one in made for name in assigned(one)}


def _meets(source: Source, call: cst.Call, names: Collection[str]) -> bool:
    """Check whether a call of a layer, or of a function of the program's own, takes something of these names."""
    library = source.text(call.func).partition(".")[0] in _LIBRARIES
    return not library and any(source.text(one.value) in names for one in call.args)
