"""The tree of modules line by line, in the colours that it has, and key by key."""

from __future__ import annotations

import msgspec
import pytest

from miscast.core.event import Placed, Stage
from miscast.report.module_tree import ModuleTree
from sweep import sweep

HEAD = "[bold]modules as they ran        parameters inputs     compute    outputs    device[/bold]"
NONE = "[dim]-          [dim][/dim]-          [dim][/dim]-          [dim][/dim]-[/dim]"


def on(*dtypes, device="cuda:0"):
    return tuple(Placed(dtype=dtype, device=device) for dtype in dtypes)


def stage(path, kind="Linear", depth=0, *cells, **more):
    passed = ("parameters", "inputs", "compute", "outputs")
    return Stage(path=path, kind=kind, depth=depth, **dict(zip(passed, cells, strict=False)), **more)


def marked(*stages, width=80):
    """The lines, with their colours as Rich writes them."""
    return [line.markup for line in ModuleTree(stages=stages).lines(width)]


F32, BF16, F16 = on("float32"), on("bfloat16"), on("float16")
NET = (stage("model", "Net", 0, F32, F32, BF16, BF16), stage("ids", "Embedding", 1, F32, (), (), F32))


def test_an_arrow_where_a_dtype_differs_from_the_one_on_its_left():
    assert marked(*NET, stage("drop", "Dropout", 1, (), BF16, (), F32)) == [
        HEAD,
        "model  Net                 float32    float32    [yellow]→bfloat16  [/yellow]bfloat16   [cyan]cuda:0[/cyan]",
        "  ids  Embedding           float32    [dim]-          [dim][/dim]-          [/dim]float32",
        "  drop  Dropout            [dim]-          [/dim]bfloat16   [dim]-          [yellow][/dim]→float32[/yellow]",
    ]


def test_several_dtypes_are_told_in_short_or_as_mixed():
    f8 = "float8_e4m3fn"
    cells = on(f8), on("float16", "float32"), on(f8, "float32"), on("float16", "float16", device="cuda:1")
    assert marked(stage("q", "Q", 0, *cells))[1] == (
        "q  Q                       f8e4m3fn   [yellow]→f16+f32   [yellow][/yellow]→mixed     [yellow]"
        "[/yellow]→float16   [cyan][/yellow]cuda:0, cuda:1[/cyan]"
    )
    assert marked(stage("q", "Q", 0, on("complex64")))[1].split()[2] == "c64"
    nine, ten = on("bool", "int8", "float16"), on("bool", "int16", "float16")
    assert marked(stage("q", "Q", 0, nine, ten))[1].split()[2:4] == ["b8+i8+f16", "[yellow]→mixed"]


def test_a_device_is_told_where_it_differs_from_the_one_above():
    there = on("float16", device="cuda:1")
    nowhere = on("float16", device="")
    stages = (
        stage("a", "A", 0, F16),
        stage("b", "B", 1, there),
        stage("c", "C", 2, there),
        stage("d", "D", 1, nowhere),
        stage("e", "E", 2, F16),
        stage("f", "F", 0, nowhere),
        stage("g", "G", 1, F16),
        stage("h", "H", 2, nowhere, F16, there),
    )
    lines = [line.plain.split() for line in ModuleTree(stages=stages).lines(80)][1:]
    told = {line[0]: " ".join(line[6:]) for line in lines}
    assert told == {"a": "cuda:0", "b": "cuda:1", "c": "", "d": "", "e": "", "f": "", "g": "cuda:0",
                    "h": "cuda:0, cuda:1"}  # fmt: skip


NAMES = {
    (0, 19): f"{'a' * 19}  Line… ",
    (0, 20): f"{'a' * 20}  Lin… ",
    (0, 21): f"{'a' * 21}      ",
    (0, 26): f"{'a' * 26} ",
    (0, 27): f"{'a' * 25}… ",
    (1, 24): f"  {'a' * 24} ",
    (1, 25): f"  {'a' * 23}… ",
    (6, 14): f"{' ' * 12}{'a' * 14} ",
    (7, 14): f"{' ' * 12}{'a' * 14} ",
}


@sweep(("depth", "long"), NAMES)
def test_a_path_goes_before_its_class_where_there_is_no_room(depth, long):
    assert marked(stage("a" * long, "Linear", depth)) == [HEAD, NAMES[depth, long] + NONE]


def test_a_class_is_cut_where_there_is_no_room():
    assert marked(stage("a", "L" * 23), stage("a", "L" * 24))[1:] == [
        f"a  {'L' * 23} {NONE}",
        f"a  {'L' * 22}… {NONE}",
    ]


@pytest.mark.parametrize("width", [73, 72, 60, 40, 10])
def test_a_narrow_terminal_has_the_columns_too(width):
    assert marked(*NET, width=width) == [
        "[bold]modules as they ran parameters inputs     compute    outputs    device[/bold]",
        "model  Net          float32    float32    [yellow]→bfloat16  [/yellow]bfloat16   [cyan]cuda:0[/cyan]",
        "  ids  Embedding    float32    [dim]-          [dim][/dim]-          [/dim]float32",
    ]


def test_a_wide_terminal_has_no_more_than_80_columns():
    assert marked(*NET, width=200) == marked(*NET)


def test_ranks_stand_above_their_modules():
    told = marked(
        stage("a", "A", 0, F32, F32, F32, F32, ranks=(0,)),
        stage("b", "B", 1, F32, F32, F32, F32, ranks=(0,)),
        stage("a", "A", 0, BF16, BF16, BF16, BF16, ranks=(1, 3)),
    )
    assert told == [
        HEAD,
        "[bold]rank 0[/bold]",
        "a  A                       float32    float32    float32    float32    [cyan]cuda:0[/cyan]",
        "  b  B                     float32    float32    float32    float32",
        "[bold]ranks 1, 3[/bold]",
        "a  A                       bfloat16   bfloat16   bfloat16   bfloat16   [cyan]cuda:0[/cyan]",
    ]


def test_no_module_ran():
    assert marked() == ["[dim]no module was called[/dim]"]
    assert ModuleTree(stages=()).data() == []


def test_the_keys_of_the_tree():
    one = stage("m.0-3", "Net", 2, F32, F16, BF16, (), alike=4, modules=7, calls=5)
    tree = ModuleTree(stages=(one, stage("x", ranks=(1, 2))))
    first, second = msgspec.to_builtins(tree.data())
    assert tree.name == "tree"
    assert first == {
        "path": "m.0-3", "kind": "Net", "depth": 2, "alike": 4, "modules": 7, "calls": 5,
        "parameters": ({"dtype": "float32", "device": "cuda:0"},),
        "inputs": ({"dtype": "float16", "device": "cuda:0"},),
        "compute": ({"dtype": "bfloat16", "device": "cuda:0"},),
        "outputs": (),
    }  # fmt: skip
    assert (second["path"], second["ranks"]) == ("x", (1, 2))
