"""What was seen of precision: a line per component, and the whole table with its numbers, widths and colours."""

from __future__ import annotations

from dataclasses import replace

import traces
from miscast.core.event import Precision
from miscast.report.matrix import Cell, Column, matrix
from miscast.report.precision import ObservedPrecision, in_short
from sweep import sweep

REGION = traces.at(12, "with torch.autocast(device):")
ASPECTS = ("parameters", "compute", "gradients", "accumulation", "reduction", "optimizer_states", "buffers",
           "outputs", "autocast", "loss_scaling", "attention", "tf32")  # fmt: skip


def rows(component, ranks=(), **dtypes):
    return [Precision(component=component, aspect=aspect, dtype=dtype, ranks=ranks) for aspect, dtype in dtypes.items()]


def marked(*seen, width=80):
    """The lines of the table, with their colours as Rich writes them."""
    return [line.markup for line in ObservedPrecision(rows=tuple(seen)).lines(width)]


SHORT = {
    "all alike": (dict.fromkeys(ASPECTS[:6], "float16"), "float16 throughout"),
    "in the order of the table": (
        dict.fromkeys(reversed(ASPECTS[:8]), "float32") | {"gradients": "float16", "outputs": "float16"},
        "parameters, compute, accumulation, reduction, optimizer states float32; gradients, outputs float16",
    ),
    "buffers, attention and tf32 are told in the table": (
        {"compute": "float32", "buffers": "float16", "attention": "sdpa", "tf32": "on"}, "float32 throughout",
    ),
    "two dtypes in every respect": (
        dict.fromkeys(ASPECTS[:2], "bfloat16, norms float32"), "parameters, compute bfloat16, norms float32",
    ),
    "what there is none of": ({"compute": "float16", "outputs": "none"}, "float16 throughout"),
    "not trained": ({"compute": "float16", "gradients": "none"}, "float16 throughout; not trained"),
    "what is off": ({"compute": "float16", "autocast": "off", "loss_scaling": "off"}, "float16 throughout"),
    "what is on": (
        {"compute": "float16", "autocast": "bfloat16", "loss_scaling": "dynamic"},
        "float16 throughout; autocast bfloat16; loss scaling dynamic",
    ),
}  # fmt: skip


@sweep("case", SHORT)
def test_a_component_in_short(case):
    dtypes, told = SHORT[case]
    assert list(in_short(rows("model", **dtypes))) == [f"model: {told}"]


def test_the_line_that_switched_autocast_on():
    compute, autocast = rows("model", compute="float32", autocast="bfloat16")
    (told,) = in_short([compute, replace(autocast, decided_by=REGION)])
    assert told == "model: float32 throughout; autocast bfloat16 at train.py:12"


def test_components_that_ranks_have_otherwise_are_told_with_their_numbers():
    told = in_short([*rows("a", (0, 2), compute="float16"), *rows("a", (1,), compute="float32")])
    assert list(told) == ["a, ranks 0, 2: float16 throughout", "a, rank 1: float32 throughout"]


def test_the_table_has_the_respects_in_the_order_of_lints():
    told = marked(*rows("model", **dict.fromkeys(reversed(ASPECTS), "float32")), width=100)
    assert told[:2] == [
        "[bold]effective precision[dim][/bold]  as observed[/dim]",
        f"[bold]{'':20}model[/bold]",
    ]
    assert told[2:] == [f"  [cyan]{aspect.replace('_', ' '):18}[/cyan]float32" for aspect in ASPECTS]


def test_what_was_not_seen_and_what_decided():
    decided = [
        replace(row, decided_by=at)
        for row, at in zip(
            rows("model", parameters="float32", compute="bfloat16", autocast="bfloat16"),
            (traces.at(3), REGION, REGION),
            strict=True,
        )
    ]
    assert marked(*decided, *rows("vae", compute="none")) == [
        "[bold]effective precision[dim][/bold]  as observed[/dim]",
        "[bold]                    model        vae[/bold]",
        "  [cyan]parameters        [/cyan]float32[cyan] 1[/cyan]    [dim]-[/dim]",
        "  [cyan]compute           [/cyan]bfloat16[cyan] 2[/cyan]   [dim]none[/dim]",
        "  [cyan]autocast          [/cyan]bfloat16[cyan] 2[/cyan]   [dim]-[/dim]",
        "[cyan]  1  [dim][/cyan]train.py:3[/dim]",
        "[cyan]  2  [dim][/cyan]train.py:12  with torch.autocast(device):[/dim]",
    ]


def test_no_table_of_nothing():
    table = ObservedPrecision(rows=())
    assert (marked(), table.name, table.data()) == ([], "precision_table", None)


def column(name, *cells):
    made = (Cell(respect="compute", value=value, note=note) if note else Cell(respect="compute", value=value)
            for value, note in cells)  # fmt: skip
    return Column(name=name, cells=tuple(made))


def told(table, about="a.yaml", width=80):
    return [line.plain for line in matrix(table, about, width)]


def test_columns_that_do_not_fit_stand_below():
    wide = [column(letter * 27, ("float32", "")) for letter in "ab"]  # 20, and twice 30
    assert told(wide) == [
        "effective precision  a.yaml",
        f"{'':20}{'a' * 27}   {'b' * 27}",
        f"  {'compute':18}{'float32':30}float32",
    ]
    assert told(wide, width=200) == told(wide)
    below = [
        f"{'':20}{'a' * 27}",
        f"  {'compute':18}float32",
        f"{'':20}{'b' * 27}",
        f"  {'compute':18}float32",
    ]
    assert told(wide, width=79) == ["effective precision  a.yaml", *below]
    wider = [column("a" * 28, ("float32", "")), wide[1], column("c", ("float32", ""))]
    assert told(wider, width=200) == told(wider)
    assert told(wider)[1:] == [
        f"{'':20}{'a' * 28}",
        f"  {'compute':18}float32",
        f"{'':20}{'b' * 27}   c",
        f"  {'compute':18}{'float32':30}float32",
    ]


def test_a_column_is_as_wide_as_its_widest_cell_with_its_number():
    first = column("a", ("bfloat16", ""), ("float32", "why"))
    second = column("b", ("unknown", "why"), ("float32", "other\x1b"))
    assert told([first, second]) == [
        "effective precision  a.yaml",
        f"{'':20}a           b",
        f"  {'compute':18}bfloat16    unknown 1",
        f"  {'compute':18}float32 1   float32 2",
        "  1  why",
        "  2  other?",
    ]


def test_what_says_nothing_is_dim():
    cells = [(value, "") for value in ("unknown", "none", "-", "off")]
    lines = [line.markup for line in matrix([column("a", *cells)], "", 80)][2:]
    assert [line.endswith("[/dim]") for line in lines] == [True, True, True, False]


def test_a_column_without_numbers():
    table = [column("a", ("bfloat16", "")), column("b", ("float32", ""))]
    assert told(table)[1:] == [f"{'':20}a          b", f"  {'compute':18}bfloat16   float32"]


def test_numbers_of_two_digits():
    many = [column("c", *(("float32", f"n{i}") for i in range(1, 12))), column("d", ("float32", ""))]
    lines = told([many[0]])
    assert lines[11:14] == [f"  {'compute':18}float32 10", f"  {'compute':18}float32 11", "  1  n1"]
    assert lines[-1] == "  11 n11"


def test_what_is_wider_than_the_page_is_cut():
    assert told([column("a", ("float32", "n" * 80))], "f" * 80, width=60) == [
        f"effective precision  {'f' * 38}…",
        f"{'':20}a",
        f"  {'compute':18}float32 1",
        f"  1  {'n' * 54}…",
    ]
    assert told([column("\x1b[1m", ("float\x1b", ""))], "")[:3] == [
        "effective precision",
        f"{'':20}?[1m",
        f"  {'compute':18}float?",
    ]
