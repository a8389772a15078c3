"""Edits keep all else: comments, layout, line ends, encodings; a file is written at once or not at all."""

from __future__ import annotations

import ast
import os
import stat

import libcst as cst
import pytest

from miscast.core.event import Location
from miscast.fixing.fixes.verdict import Moved
from miscast.fixing.fixes.writing import ChangedError, write
from miscast.fixing.remedy.diffs import diff, differences, edited
from miscast.fixing.remedy.edit_site import EditSite
from miscast.fixing.remedy.nodes import keyword, method, with_argument
from miscast.fixing.remedy.source import Source
from miscast.fixing.remedy.strategies import conversion
from sweep import sweep


def _with_dtype(text, line=1):
    source = Source("t.py", text if isinstance(text, bytes) else text.encode())
    call = next(source.calls(line, "ones"))
    return source.with_node(call, with_argument(call, keyword("dtype", cst.parse_expression("x.dtype"))))


FILE = """\
import torch


@torch.no_grad()
def f(x):
    return x


y = f(1)
if y:
    pass
else:
    y = 2
"""


@pytest.mark.parametrize("line", [1, 4, 5, 9, 10, 12])
@pytest.mark.parametrize("text", ["x = 1", "@f", "    x = 1", "else:", "if x:", "x = (", "x = \\"])
def test_a_changed_file_is_a_program_or_no_change(line, text):
    """Only the statements around a change are parsed, which must decide as the whole file would."""
    lines = FILE.splitlines(keepends=True)
    changed = "".join([*lines[: line - 1], f"{text}\n", *lines[line - 1 :]]).encode()
    try:
        ast.parse(changed)
    except SyntaxError:
        changed = None
    assert Source("t.py", FILE.encode()).before(line, text) == changed


TEXTS = [("abcd", "abxcd"), ("aab", "aaab"), ("abab", "ab"), ("", "a"), ("a", ""), ("ab", "ab"), ("xay", "yax")]


@sweep("before, after", TEXTS)
def test_differences_turn_one_text_into_the_other(before, after):
    changed = [*before]
    for begin, end, to, until in reversed(differences([*before], [*after])):
        changed[begin:end] = after[to:until]
    assert "".join(changed) == after


CALLS = {
    "m = torch.ones(2, 1)  # why": "m = torch.ones(2, 1, dtype=x.dtype)  # why",
    "m = torch.ones(2, 1, dtype = half)": "m = torch.ones(2, 1, dtype = x.dtype)",
    "m = torch.ones()": "m = torch.ones(dtype=x.dtype)",
    "m = torch.ones(2, 1,)": "m = torch.ones(2, 1, dtype=x.dtype,)",
    "m = torch.ones(\n    2,\n    1,  # one\n)": "m = torch.ones(\n    2,\n    1,\n    dtype=x.dtype,  # one\n)",
    "m = torch.ones(\n    2,\n    1\n)": "m = torch.ones(\n    2,\n    1, dtype=x.dtype\n)",
    "m = torch.ones(\r\n    2,\r\n)\r\nk = 1\r\n": "m = torch.ones(\r\n    2, dtype=x.dtype,\r\n)\r\nk = 1\r\n",
    "\ufeffm = torch.ones(2)": "\ufeffm = torch.ones(2, dtype=x.dtype)",
    "m, é = torch.ones(2), 'ü'": "m, é = torch.ones(2, dtype=x.dtype), 'ü'",
}


@sweep("before", CALLS)
def test_a_keyword_is_added_in_the_layout_of_the_call(before):
    assert _with_dtype(before).decode() == CALLS[before]


def test_another_encoding_stays():
    before = "# coding: latin-1\nm = torch.ones(2)  # größer\n".encode("latin-1")
    assert _with_dtype(before, 2) == "# coding: latin-1\nm = torch.ones(2, dtype=x.dtype)  # größer\n".encode("latin-1")


def test_an_edit_that_is_no_program_is_none():
    source = Source("t.py", b"x = 1\n")
    assert source.after(source.statement(1), "not a (program") is None


def test_an_operation_is_put_in_parentheses():
    source = Source("t.py", b"y = a + b\n")
    sum_ = next(node for node in source.expressions(1) if isinstance(node, cst.BinaryOperation))
    assert source.with_node(sum_, method(sum_, "half")) == b"y = (a + b).half()\n"


def test_a_line_behind_a_statement_and_at_the_head_of_a_loop():
    source = Source("t.py", b"def f():\n    x = 1  # one\n    for y in x:\n        # first\n        print(y)\n")
    assert source.after(source.statement(2), "z = 2").decode().splitlines()[2] == "    z = 2"
    loop = source.after(source.statement(3), "y = 3").decode().splitlines()
    assert loop[3:] == ["        # first", "        y = 3", "        print(y)"]


def test_a_file_without_a_last_line_end():
    source = Source("t.py", b"x = 1")
    assert source.after(source.statement(1), "y = 2") == b"x = 1\ny = 2\n"
    assert diff("t.py", b"x = 1", b"x = 2") == (
        "--- a/t.py\n+++ b/t.py\n@@ -1 +1 @@\n"
        "-x = 1\n\\ No newline at end of file\n+x = 2\n\\ No newline at end of file\n"
    )


def test_the_last_statement_of_a_block_becomes_pass():
    source = Source("t.py", b"if x:\n    unet.half()  # fast\n")
    assert source.without(source.statement(2)) == b"if x:\n    pass  # fast\n"


def test_the_statement_on_a_line_is_the_innermost():
    source = Source("t.py", b"for x in f(\n    1,\n):\n    g(x)\nelse:\n    h()\n")
    assert next(source.text(node) for node in source.expressions(1)) == "x"
    assert "g" not in {source.text(node) for node in source.expressions(1)}
    assert {"g(x)", "g", "x"} == {source.text(node) for node in source.expressions(4)}


def test_where_lines_are_after_a_change():
    old, new = b"a\nb\nc\nd\n", b"a\nX\nY\nc\nd\n"
    moved = Moved.between("t.py", old, new)
    assert [moved.range("t.py", line) for line in (1, 2, 3, 4)] == [(1, 1), (2, 3), (4, 4), (5, 5)]
    assert moved.range("other.py", 3) == (3, 3)
    assert moved.lines == 2


def test_edits_by_line():
    (edit,) = edited("t.py", b"a\nb\nc\n", b"a\nx\ny\nc\n")
    assert (edit.start_line, edit.end_line, edit.replacement) == (2, 2, "x\ny")
    (inserted,) = edited("t.py", b"a\nc\n", b"a\nb\nc\n")
    assert (inserted.start_line, inserted.end_line, inserted.replacement) == (2, 1, "b")


def test_writing_keeps_the_mode_and_follows_links(tmp_path):
    file, link = tmp_path / "t.py", tmp_path / "link.py"
    file.write_bytes(b"old")
    file.chmod(0o751)
    link.symlink_to(file)
    write({str(link): (b"old", b"new")})
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o751
    assert link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link.py", "t.py"]


@pytest.mark.parametrize("now", [b"other", None], ids=["changed", "gone"])
def test_nothing_is_written_over_what_was_not_read(tmp_path, now):
    first, second = tmp_path / "a.py", tmp_path / "b.py"
    first.write_bytes(b"old")
    if now is not None:
        second.write_bytes(now)
    with pytest.raises(ChangedError, match=r"b\.py has changed"):
        write({str(first): (b"old", b"new"), str(second): (b"old", b"new")})
    assert first.read_bytes() == b"old"


@pytest.mark.parametrize(
    ("statement", "left"),
    [
        ("unet.half()", ""),
        ("blocks[0].half()", ""),
        ("encoder.get_input_embeddings().half()", ""),
        ("build(unet).half()", "build(unet)\n"),
        ("unet.train().half()", "unet.train()\n"),
        ("net = unet.half()", "net = unet\n"),
    ],
)
def test_a_dropped_conversion_leaves_no_statement_that_does_nothing(statement, left):
    source = Source("train.py", f"{statement}\nrun()\n".encode())
    blamed = EditSite(
        role="cast", location=Location(file="train.py", line=1), about="dtype", op="half", have="float16",
        want="float32",
    )  # fmt: skip
    dropped = next(change for change in conversion.propose(source, blamed) if "remove" in change.variants[0].title)
    assert dropped.variants[0].write() == f"{left}run()\n".encode()
