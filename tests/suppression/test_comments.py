"""Which comments suppress what: read by each language's own parser."""

from __future__ import annotations

import pytest

from miscast.suppression.comments import comments
from sweep import sweep

KNOWN = ("loss-rounds", "operand-dtype-mismatch", "both-half-dtypes")
FOUND = {
    "behind a statement": ("a.py", "x = 1\ny = f(x)  # miscast: ignore[loss-rounds] why not\n", [(2, 2, 2)]),
    "behind another comment": ("a.py", "y = 1  # type: ignore  # miscast: ignore[loss-rounds]\n", [(1, 1, 1)]),
    "a statement of several lines": ("a.py", "f(\n  a,  # miscast: ignore[loss-rounds]\n  b,\n)\n", [(2, 1, 4)]),
    "behind its last line": ("a.py", "f(\n  a,\n)  # miscast: ignore[loss-rounds]\n", [(3, 1, 3)]),
    "a line of its own is about itself": ("a.py", "# miscast: ignore[loss-rounds]\nf()\n", [(1, 1, 1)]),
    "the head of a block alone": ("a.py", "if x:  # miscast: ignore[loss-rounds]\n    f()\n", [(1, 1, 1)]),
    "in a string": ("a.py", 's = "# miscast: ignore[loss-rounds]"\nt = """\n# miscast: ignore[loss-rounds]\n"""\n', []),
    "in an f-string": ("a.py", 's = f"{x} # miscast: ignore[loss-rounds]"\n', []),
    "up to where it is broken": ("a.py", "f()  # miscast: ignore[loss-rounds]\ng(\n", [(1, 1, 1)]),
    "about something else": ("a.py", "f()  # miscasting: ignore[loss-rounds]\n", []),
    "yaml": ("a.yaml", "a: 1  # miscast: ignore[loss-rounds]\n", [(1, 1, 1)]),
    "yaml, alone": ("a.yaml", "# miscast: ignore[loss-rounds]\na: 1\n", [(1, 1, 1)]),
    "yaml, in a list": ("a.yml", "a: [1, # miscast: ignore[loss-rounds]\n  2]\n", [(1, 1, 1)]),
    "yaml, at the head of a block": ("a.yaml", "a: | # miscast: ignore[loss-rounds]\n  x\n", [(1, 1, 1)]),
    "yaml, in a block": ("a.yaml", "a: |\n  # miscast: ignore[loss-rounds]\nb: 1\n", []),
    "yaml, in quotes": ("a.yaml", "a: '# miscast: ignore[loss-rounds]'\nb: x# miscast: ignore[loss-rounds]\n", []),
    "yaml, behind a list": ("a.yaml", "- a\n- b # miscast: ignore[loss-rounds]\n", [(2, 2, 2)]),
    "toml": ("a.toml", "a = 1 # miscast: ignore[loss-rounds]\nb = '# miscast: ignore[loss-rounds]'\n", [(1, 1, 1)]),
    "toml, an array": ("a.toml", "a = [\n 1,\n] # miscast: ignore[loss-rounds]\n", [(3, 1, 3)]),
    "shell": ("a.sh", "r --fp16 # miscast: ignore[loss-rounds]\necho '# miscast: ignore[loss-rounds]'\n", [(1, 1, 1)]),
    "shell, several lines": ("a.sh", "r \\\n --fp16 \\\n x # miscast: ignore[loss-rounds]\n", [(3, 1, 3)]),
    "shell, in a document": ("a.sh", "cat <<E\n# miscast: ignore[loss-rounds]\nE\n", []),
    "variables": (".env", "A=1 # miscast: ignore[loss-rounds]\n", [(1, 1, 1)]),
    "json has no comments": ("a.json", '{"a": "# miscast: ignore[loss-rounds]"}\n', []),
}
SAID = {
    "ignore[loss-rounds]": (("loss-rounds",), "", ""),
    "ignore[loss-rounds, both-half-dtypes] as  it is": (("loss-rounds", "both-half-dtypes"), "as  it is", ""),
    "ignore": ((), "", "names no rule: expected ignore[RULE] and a reason"),
    "ignore[]": ((), "", "names no rule: expected ignore[RULE] and a reason"),
    "ignore[los-rounds] x": ((), "x", "unknown rule 'los-rounds': did you mean loss-rounds?"),
    "ignore[loss-rounds, q]": (("loss-rounds",), "", "unknown rule 'q'"),
    "off": ((), "", "'off' is not a miscast comment: expected ignore[RULE]"),
}


@sweep("case", FOUND)
def test_a_comment_is_about_the_lines_of_its_statement(case, tmp_path):
    name, text, lines = FOUND[case]
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = comments(str(tmp_path / name), KNOWN)
    assert [(one.line, one.first, one.last) for one in found] == lines
    assert all(one.rules == ("loss-rounds",) and not one.mistake for one in found)


@pytest.mark.parametrize("said", SAID)
def test_what_a_comment_says(said, tmp_path):
    file = tmp_path / "a.py"
    file.write_text(f"f()  # miscast: {said}\n", encoding="utf-8")
    (one,) = comments(str(file), KNOWN)
    assert (one.rules, one.reason, one.mistake) == SAID[said]


def test_what_is_no_file_has_none(tmp_path):
    assert comments(str(tmp_path), KNOWN) == comments(str(tmp_path / "no.py"), KNOWN) == comments("\0.py", KNOWN) == ()
