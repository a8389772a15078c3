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
from .edit_site import EditSite, drops_fractions
from .names import METHODS, siblings, spelled_out
from .nodes import assigned, calls_any, dotted, is_class_name
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
    places = ((f, (f.op, f.location.file, f.location.line)) for f in findings)
    return tuple(_with_edits(f, scopes.get(at, {}), sources) for f, at in places)


def _with_edits(finding: Finding, scopes: Scopes, sources: Sources) -> Finding:
    words, numbers = in_words(finding), _is_of_numbers(finding)
    by_edits = finding.rule in _BY_EDITS or finding.blamed == "generator"
    in_place = words if words in finding.fixes else None
    known = any((in_place, numbers, by_edits, finding.rule in _NUMBERS))
    if finding.consequence_of is not None or not known:
        return finding
    changes = proposed(finding, scopes, sources)
    if in_place is not None:
        fixes = _in_place_of(in_place, finding, changes, numbers=numbers)
    elif numbers:
        fixes = _wider_beside(finding, changes)
    else:
        fixes = _likeliest(finding, changes) if by_edits else _same(finding, changes)
    return replace(finding, fixes=tuple({one.title: one for one in fixes}.values()))


def _wider_beside(finding: Finding, changes: Sequence[Change]) -> tuple[Fix, ...]:
    wider = next(_edits(one for one in changes if _widens(one, finding)), None)
    rest = finding.fixes
    return rest if wider is None else beside(wider, rest, finding.wanted)


def _likeliest(finding: Finding, changes: Sequence[Change]) -> tuple[Fix, ...]:
    """Return edits in place of as many words; the last words are of what can always be written."""
    found = [*islice(_edits(filter(_likely, changes)), len(finding.fixes))]
    return (*finding.fixes[: len(finding.fixes) - len(found)], *found)


def _same(finding: Finding, changes: Sequence[Change]) -> tuple[Fix, ...]:
    """Return the words that are those of an edit as that edit."""
    edits = [_fix(one, variant) for one in changes for variant in one.variants]
    same = {one.title.replace("`", ""): one for one in edits if one is not None}
    return tuple(same.get(one.title, one) for one in finding.fixes)


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
        said = ((one, set(_PLACE.findall(one))) for one in other.title.split(_OR))
        words = [one for one, at in said if not _repeats(at, places, wanted, one)]
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
    ends = ((e.file, e.start_line, max(e.end_line, e.start_line)) for e in edits)
    return {(file, n) for file, first, last in ends for n in range(first, last + 1)}


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
    own = [one for one in changes if _may_be_advised(one, op)]
    here = next((one for one in own if one.exact), None)
    if here is not None:
        return _around(here, own)
    return [*own[:1], *islice(_elsewhere(own), 1)]


def _elsewhere(own: Sequence[Change]) -> Iterator[Change]:
    """Yield the changes of other lines than the first's; no `.to()` of the whole reaches what is not registered."""
    reached = not own or own[0].order != registration.ORDER
    others = (one for one in own if one.line != own[0].line)
    return (one for one in others if reached or one.site.role == "born")


def _may_be_advised(change: Change, op: str) -> bool:
    own = change.site.blamed or change.site.failed_op != op
    return own and change.order < BLUNT and not _is_guess(change)


def _around(here: Change, own: Sequence[Change]) -> list[Change]:
    """Return the change of the operand at the failing call, with another, or the one that takes its place."""
    first = own[0]
    held = _registration(here, own)
    if held is not None:
        return [held, here]
    if first.site.role == "use" and first.precision_loss < here.precision_loss:
        return [first, here]
    before = [one for one in own if one.site.role != "use"][:1]
    if not all(_comes_first(one, here) for one in before):
        return [here]
    at_once = any(_converts(one, here.line) for one in before)
    return before if at_once else [here, *before]


def _converts(change: Change, line: int) -> bool:
    return change.site.role in ("cast", "moved") and change.line == line


def _comes_first(before: Change, here: Change) -> bool:
    loses = before.precision_loss > here.precision_loss
    return not loses and _may_change(before, here.site.location, here.exact)


def _registration(here: Change, own: Sequence[Change]) -> Change | None:
    """Return what lets `.to()` reach the operand, which a module holds."""
    name = f'"{here.exact.removeprefix("self.")}"'
    own = own if here.site.about == "device" else ()
    held = (one for one in own if one.order == registration.ORDER)
    return next((one for one in held if name in one.variants[one.first].title), None)


def _is_guess(change: Change) -> bool:
    """Check whether a change may convert something else: on the failing line, or in a line that led there."""
    site = change.site
    if site.role in ("caller", "defined"):
        return not site.parameter
    if site.role == "born":
        return _is_guessed_birth(change)
    if site.role != "use" or change.exact or site.failed is None:
        return False
    source, line = change.source, site.location.line
    return source.statement(change.line) is source.statement(line)


def _is_guessed_birth(change: Change) -> bool:
    site, source = change.site, change.source
    # it makes several tensors: `[torch.as_tensor(c[i]) for c in columns]`
    parts = source.expressions(change.line)
    several = any(isinstance(one, cst.BaseComp) for one in parts)
    if several and drops_fractions(site.have, site.want):
        return True
    counts = site.have in DTYPES and not is_floating_point(site.have)
    if (site.foreign or counts) and not site.parameter:
        return _holds_tensors(operand.result(source, site))
    # the result of a call that is given it, on a line before
    return change.order >= operand.ORDER and change.line < site.location.line


def _holds_tensors(value: cst.BaseExpression | None) -> bool:
    """Check for an object of a class, which may have no `.to`: `Models(unet, vae)`, `Scheduler.from_config(…)`."""
    while isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute):
        if not isinstance(value.func.value, cst.Call):
            break
        value = value.func.value  # `Net().cuda()`
    parts = dotted(value.func).split(".") if isinstance(value, cst.Call) else ()
    return any(map(is_class_name, parts))


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
        if names.isdisjoint({exact, root, root.partition(".")[0]}):
            return False
    between = range(source.line(statement) + 1, use.line)
    return not any(_meets(source, call, names) for call in _calls(source, between))


def _calls(source: Source, lines: range) -> Iterator[cst.Call]:
    return (call for call in source.of(cst.Call) if source.line(call) in lines)


def _mends_a_part(change: Change, finding: Finding) -> bool:
    """Check whether other tensors, made as the one that is changed, keep the result as it is: `stack([xs, ys])`."""
    site, source = change.site, change.source
    if site.role != "born" or site.about != "dtype":
        return False
    alike = [o for o in finding.operands if finding.value(o) == site.have]
    if len({o.dtype_origin and o.dtype_origin.chain()[-1] for o in alike}) > 1:
        return True
    own = source.statement(change.line)
    return own is not None and _is_joined(source, site, own)


def _is_joined(source: Source, site: EditSite, own: cst.CSTNode) -> bool:
    """Check whether what a statement makes is used with what another one has made alike."""
    made = _made_alike(source, site.op, source.function(own))
    names = (t for t in map(source.text, assigned(own)) if made.get(t) is own)
    reads = (n for t in names for n in source.spelled.get(t, ()))
    return any(made.get(t, own) is not own for n in reads for t in siblings(source, n))


@lru_cache(maxsize=64)
def _made_alike(
    source: Source, op: str, function: cst.FunctionDef | None
) -> Mapping[str, cst.CSTNode]:
    """Return the names that a function sets to what a factory makes without a dtype or a cast, with the statements."""
    lines = source.of(cst.SimpleStatementLine)
    own = (n for n in lines if source.function(n) is function and calls_any(n, {op}))
    plain = (n for n in own if not calls_any(n, _CASTS))
    made = (n for n in plain if "dtype" not in source.text(n))
    return {source.text(name): one for one in made for name in assigned(one)}


def _meets(source: Source, call: cst.Call, names: Collection[str]) -> bool:
    """Check whether a call of a layer, or of a function of the program's own, takes something of these names."""
    library = source.text(call.func).partition(".")[0] in _LIBRARIES
    return not library and any(source.text(one.value) in names for one in call.args)
