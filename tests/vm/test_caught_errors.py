"""Who catches an error of torch's: a program that goes another way gets it raised, one that hides it is told of.

Each case is the body of a function. What decides is whether the handler makes up for what its `try` was to bring about.
"""

from __future__ import annotations

import linecache
import textwrap

import pytest

import miscast

HEAD = """\
import asyncio, contextlib, logging, sys, time, unittest
import pytest, torch

logger, case = logging.getLogger("quiet"), unittest.TestCase()
logger.disabled = True

def inverse(x):
    return torch.linalg.inv(x)

def much():
    return torch.empty(1 << 45, device="cuda", dtype=torch.uint8)

def doing_nothing(*_):
    pass

def y_of(error):
    return True

def main():
    x = torch.eye(2, device="cuda").half()
"""
NOTE = "raised as in torch, because the program catches it: "
LOW = "linalg.inv: Low precision dtypes not supported. Got Half"


def written(folder, body):
    """A program's file, and its function."""
    file, text = (
        folder / "program.py",
        HEAD + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n",
    )
    file.write_text(text, encoding="utf-8")
    linecache.checkcache(str(file))
    scope = {"__name__": "program"}
    exec(compile(text, str(file), "exec"), scope)
    return scope["main"]


def checked(folder, body):
    """How many mistakes are told of, and what is said of those that are raised."""
    report = miscast.check(written(folder, body), machine="v100")
    assert report.ended is None
    return len(report.findings), [
        note.partition(NOTE)[2] for note in report.notes if NOTE in note
    ]


def tried(body, handler, *, kind="RuntimeError as error"):
    """A `try` of a `body`, with its `handler`."""
    lines = f"try:\n{textwrap.indent(body, '    ')}\nexcept {kind}:\n{textwrap.indent(handler, '    ')}"
    return lines.replace("except :", "except:")


def asked(test, *, after="raise"):
    """A handler that goes another way if the error's text says so, and raises it else."""
    return tried(
        "y = torch.linalg.inv(x)", f"if {test}:\n    y = x\nelse:\n    {after}"
    )


FAR = "y = inverse(x)"
REPORTS = (
    "print()", "str(1)", "repr(1)", "format(1)", "len('')", "''.join('')", "time.time()", "logger.log(10, '')",
    "logger.info('')",
)  # fmt: skip
PREPARED = {
    "by a handler beside the op": tried("torch.linalg.inv(x)", "pass"),
    "of all errors": tried("torch.linalg.inv(x)", "pass", kind="Exception"),
    "of everything": tried("torch.linalg.inv(x)", "pass", kind=""),
    "of a base": tried("torch.linalg.inv(x)", "pass", kind="BaseException"),
    "of one of several": tried("torch.linalg.inv(x)", "pass", kind="(ValueError, RuntimeError)"),
    "the second handler": f"{tried('torch.linalg.inv(x)', 'raise', kind='ValueError')}\nexcept RuntimeError:\n    pass",
    "on the first line of several": tried("torch.linalg.inv(x)\ny = 1", "pass"),
    "on the last line of several": tried("y = 1\ntorch.linalg.inv(x)", "pass"),
    "on the last line of a statement": tried("doing_nothing(\n    1,\n    torch.linalg.inv(x),\n)", "pass"),
    "far from it, for the same name": tried(FAR, "y = x"),
    "far from it, for a name of the try that is read": tried("inverse(x)", "x = x.float()"),
    "far from it, by the same call": tried("inverse(x)", "doing_nothing(inverse(x.float()))"),
    "far from it, by a value that is returned": tried("return inverse(x)", "return x"),
    "far from it, by a variable that is returned": tried("y = x\nreturn inverse(y)", "return y"),
    "outside, where the near one raises again": tried(tried("y = torch.linalg.inv(x)", "raise"), "y = x"),
    "with suppress": "with contextlib.suppress(RuntimeError):\n    torch.linalg.inv(x)",
    "with suppress, of several": "with contextlib.suppress(ValueError, RuntimeError):\n    torch.linalg.inv(x)",
    "with suppress, far from it": "with contextlib.suppress(RuntimeError):\n    inverse(x)",
    "with suppress beside another": "with contextlib.suppress(RuntimeError), torch.no_grad():\n    torch.linalg.inv(x)",
    "with suppress after a name": (
        "quiet = torch.no_grad()\nwith quiet, contextlib.suppress(RuntimeError):\n    torch.linalg.inv(x)"
    ),
    "with pytest": "with pytest.raises(RuntimeError):\n    torch.linalg.inv(x)",
    "with unittest": "with case.assertRaises(RuntimeError):\n    torch.linalg.inv(x)",
    "with unittest, by its text": "with case.assertRaisesRegex(RuntimeError, 'Low'):\n    torch.linalg.inv(x)",
    "with an asynchronous block": """
        @contextlib.asynccontextmanager
        async def suppress(kind):
            with contextlib.suppress(kind):
                yield

        async def run():
            async with suppress(RuntimeError):
                torch.linalg.inv(x)

        asyncio.run(run())
    """,
    "by a word of its text": asked("'Low precision' in str(error)"),
    "by a word in small letters": asked("'low precision' in str(error).lower()"),
    "by a word in folded letters": asked("'low precision' in str(error).casefold()"),
    "by a word that is not there": asked("'memory' not in str(error)"),
    "by no such word": asked("not ('memory' in str(error))"),
    "by two words": asked("'Low' in str(error) and 'Half' in str(error)"),
    "by one of two words": asked("'memory' in str(error) or 'Half' in str(error)"),
    "by a branch inside another": tried(
        "y = torch.linalg.inv(x)", "if 'Low' in str(error):\n    if 'memory' in str(error):\n        raise\n    y = x"
    ),
    "by what follows another's raise": tried(
        "y = torch.linalg.inv(x)", "if 'Low' not in str(error):\n    raise\ny = x"
    ),
    "by a branch that returns": tried(
        "y = torch.linalg.inv(x)", "if 'Low' in str(error):\n    return\nraise"
    ),
    "by a branch that goes on": (
        "for _ in (1, 2):\n"
        + textwrap.indent(tried("y = torch.linalg.inv(x)", "if 'Low' in str(error):\n    continue\nraise"), "    ")
    ),
    "by a branch that ends the loop": (
        "for _ in (1, 2):\n"
        + textwrap.indent(tried("y = torch.linalg.inv(x)", "if 'Low' in str(error):\n    break\nraise"), "    ")
    ),
}  # fmt: skip
HIDDEN = {
    "another error": tried("torch.linalg.inv(x)", "pass", kind="ValueError"),
    "several others": tried("torch.linalg.inv(x)", "pass", kind="(ValueError, KeyError)"),
    "before the block": f"torch.linalg.inv(x)\n{tried('y = 1', 'pass')}",
    "after the block": f"{tried('y = 1', 'pass')}\ntorch.linalg.inv(x)",
    "what follows the block": f"{tried('y = 1', 'pass')}\nelse:\n    torch.linalg.inv(x)",
    "in the handler": tried("raise RuntimeError", "torch.linalg.inv(x)"),
    "another block": "with torch.no_grad():\n    torch.linalg.inv(x)",
    "a block that takes a name of an error": "with contextlib.nullcontext(RuntimeError):\n    torch.linalg.inv(x)",
    "with suppress, of another": "with contextlib.suppress(ValueError):\n    torch.linalg.inv(x)",
    "another error in its place": tried("torch.linalg.inv(x)", "raise ValueError('of mine') from error"),
    "the end of the program": tried("torch.linalg.inv(x)", "sys.exit(1)"),
    "raised again": tried("torch.linalg.inv(x)", "raise"),
    "far from it, and done nothing": tried(FAR, "pass"),
    "far from it, and another name": tried(FAR, "z = x"),
    "far from it, and another call": tried(FAR, "doing_nothing(1)"),
    "far from it, and nothing returned": tried("return inverse(x)", "return"),
    "far from it, and None returned": tried("return inverse(x)", "return None"),
    "far from it, and nothing that was returned": tried("if x is None:\n    return\ninverse(x)", "return x"),
    "far from it, a name that is only read": tried(FAR, "doing_nothing(y)"),
    "far from it, whatever it was": tried(FAR, "y = x", kind="Exception"),
    "far from it, everything": tried(FAR, "y = x", kind=""),
    "far from it, a base": tried(FAR, "y = x", kind="BaseException"),
    "far from it, whatever it was, by a test": tried(FAR, "if y:\n    y = x", kind="Exception"),
    "first by a handler that hides": tried(tried(FAR, "z = x"), "y = x"),
    "first by a handler that hides, on later lines": tried(f"z = 1\nz = 2\n{tried(FAR, 'pass')}", "y = x"),
    "by a word of its text": asked("'memory' in str(error)"),
    "by a word in small letters": asked("'Low precision' in str(error).lower()"),
    "by a word in folded letters": asked("'Low precision' in str(error).casefold()"),
    "by a word that is there": asked("'Low' not in str(error)"),
    "by such a word": asked("not ('Low' in str(error))"),
    "by two words of which one is there": asked("'Low' in str(error) and 'memory' in str(error)"),
    "by none of two words": asked("'memory' in str(error) or 'shape' in str(error)"),
    "by a test of something else": asked("x is None"),
    "by no test of something else": asked("not x.is_cuda"),
    "by a test of a word and something else": asked("'Low' in str(error) and x is None"),
    "by a test of a word or something else": asked("'Low' in str(error) or x is None"),
    "by a comparison with a word": asked("'Low' == str(error)"),
    "by a branch that returns": tried("y = torch.linalg.inv(x)", "if 'memory' in str(error):\n    return\nraise"),
    "by a branch that ends nothing": tried("y = torch.linalg.inv(x)", "if 'Low' in str(error):\n    y = x\nraise"),
    "by a branch inside another": tried(
        "y = torch.linalg.inv(x)", "if 'Low' in str(error):\n    if 'Half' in str(error):\n        raise"
    ),
    "by no branch": tried("y = torch.linalg.inv(x)", "if 'memory' in str(error):\n    y = x\nraise"),
    **{f"told by {one}": tried(f"{one}\ninverse(x)", one) for one in REPORTS},
}  # fmt: skip
MUCH = "y = much()"
MEMORY_PREPARED = {
    "beside it": tried(
        "torch.empty(1 << 45, device='cuda')", "pass", kind="torch.OutOfMemoryError"
    ),
    "far from it, of all errors, by a test": tried(
        MUCH, "if y_of(error):\n    y = 1", kind="Exception as error"
    ),
    "far from it, of all errors, by a word": tried(
        MUCH, "if 'memory' in str(error):\n    y = 1", kind="Exception as error"
    ),
    "by a test of its own, and raised else": tried(
        MUCH, "if y_of(error):\n    y = 1\nelse:\n    raise"
    ),
    "by what is left where a test raises": tried(
        MUCH, "if not y_of(error):\n    raise\ny = 1"
    ),
    "smaller, in the next round": """
        size = 1 << 45
        while size:
            try:
                doing_nothing(torch.empty(size, device="cuda"))
                break
            except RuntimeError:
                size //= 2
    """,
}
MEMORY_HIDDEN = {
    "far from it, of all errors": tried(MUCH, "y = 1", kind="Exception as error"),
    "far from it, by a word of another error": tried(
        MUCH,
        "if 'Low' in str(error):\n    y = 1\nelse:\n    print()",
        kind="Exception as error",
    ),
    "by a word, and raised": tried(
        MUCH, "if 'memory' in str(error):\n    raise\ny = 1"
    ),
    "by a test, and printed": tried(
        MUCH, "if y_of(error):\n    print()\nelse:\n    raise"
    ),
}


@pytest.mark.parametrize("case", PREPARED)
def test_a_program_that_goes_another_way_gets_the_error(case, tmp_path):
    assert checked(tmp_path, PREPARED[case]) == (0, [LOW])


@pytest.mark.parametrize("case", HIDDEN)
def test_a_program_that_hides_the_error_is_told_of_it(case, tmp_path):
    assert checked(tmp_path, HIDDEN[case]) == (1, [])


@pytest.mark.parametrize("case", MEMORY_PREPARED)
def test_where_memory_ends_a_program_that_goes_another_way_gets_the_error(
    case, tmp_path
):
    assert checked(tmp_path, MEMORY_PREPARED[case]) == (0, ["CUDA out of memory"])


@pytest.mark.parametrize("case", MEMORY_HIDDEN)
def test_where_memory_ends_a_program_that_hides_it_is_told_of_it(case, tmp_path):
    assert checked(tmp_path, MEMORY_HIDDEN[case]) == (1, [])


def test_a_file_is_read_again_where_it_is_another(tmp_path):
    assert checked(tmp_path, PREPARED["with suppress"]) == (0, [LOW])
    assert checked(tmp_path, HIDDEN["with suppress, of another"]) == (1, [])


@pytest.mark.parametrize("text", ["", "def main(:", "(" * 10_000])
def test_what_cannot_be_read_prepares_for_nothing(text, tmp_path):
    main = written(tmp_path, PREPARED["with suppress"])
    (tmp_path / "program.py").write_text(text, encoding="utf-8")
    report = miscast.check(main, machine="v100")
    assert (report.ended, len(report.findings)) == (None, 1)
