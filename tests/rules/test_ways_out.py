"""The help of rules about lost numbers: torch takes what it spells, and each form of a loss has help of its own."""

from __future__ import annotations

import ast
import re
import warnings
from functools import cache
from pathlib import Path

import torch

import miscast
from miscast.core.event import Location, Operand, TensorMeta
from miscast.core.finding import Finding
from miscast.explanation.causes.precision import CAUSES
from miscast.judging.findings.lossy import ways_out
from miscast.judging.rules.unscale_fp16_gradients import _FIXES as HALF_TRAINED
from miscast.numbers.ranges import losses
from miscast.numbers.values.losses import known_help
from sweep import sweep

_CODE = re.compile(r"`([^`]+)`")
_SPELLED = re.compile(r"\b(?:torch|F|x)\.\w+\(|\.\w+\(|\w+\(.*=")
_PACKAGE = Path(miscast.__file__).parent
_PARTS = ("numbers", "running/precision", "vm/torch_api/patches")
_SOURCES = sorted(file for part in _PARTS for file in (_PACKAGE / part).rglob("*.py"))
HELP = {(rule, form): ways for rule, table in known_help().items() for form, ways in table.items()}


def names(dtype):
    """What the code of help is written with."""
    square = (torch.rand(4, 4) + 0.1).to(dtype)
    return {
        "torch": torch, "F": torch.nn.functional, "x": square, "y": square.half(), "p": square, "n": torch.tensor(7),
        "mask": square > 0.5, "norm": torch.nn.BatchNorm2d(3), "net": torch.nn.Linear(4, 4), "dim": -1, "step": 3,
    }  # fmt: skip


@cache
def emitted(rule, form):
    """The ops that losses of a form are found at."""
    found = set()
    for file in Path(losses.__file__).parent.glob("[a-z]*.py"):
        text = file.read_text("utf-8")
        if f'rule="{rule}"' in text and (f'form="{form}"' in text if form else "form=" not in text):
            found |= __import__(f"{losses.__name__}.{file.stem}", fromlist=["OPS"]).OPS
    return sorted(found)


def refused(code):
    """The error that torch raises for it, "" if it takes it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a scaler without a GPU
            for dtype in (torch.float32, torch.float16):
                eval(compile(code, "help", "eval"), names(dtype))
    except Exception as error:  # noqa: BLE001 - whatever it is, the advice cannot be followed
        return f"{code}: {error}"
    return ""


def spelled(rule, form):
    """All texts that help of a form may have."""
    ways = HELP[rule, form]
    by_op = any("{op}" in code for way in ((ways,) if isinstance(ways, str) else ways) for code in _CODE.findall(way))
    ops = emitted(rule, form) if by_op else ["sin"]
    assert ops
    operand = Operand(name="x", tensor=TensorMeta(dtype="float16", device="cpu", shape=(4, 4)))
    return [
        fix.title
        for op in ops
        for fix in ways_out(ways, Finding(
            rule=rule, severity="warning", message="", op=op, phase="program", operands=(operand,), blamed="x",
            location=Location(file="train.py", line=8), wanted="float32",
        ))
    ]  # fmt: skip


@sweep("rule, form", HELP)
def test_torch_takes_what_help_spells(rule, form):
    texts = spelled(rule, form)
    assert texts
    assert [error for text in texts for code in _CODE.findall(text) if (error := refused(code))] == []
    # code that stands outside of backquotes is not run, but for the cast of an operand
    bare = [_CODE.sub("", text).removesuffix(": .to(torch.float32)") for text in texts]
    assert [text for text in bare if _SPELLED.search(text)] == []


def test_what_is_trained_is_cast_and_what_is_frozen_is_not():
    """The advice for half parameters under a GradScaler, with a frozen base and adapters."""
    model = torch.nn.Sequential(torch.nn.Linear(2, 2).requires_grad_(requires_grad=False), torch.nn.Linear(2, 2)).half()
    for text in (HALF_TRAINED[0].title, *(text for cause in CAUSES for text in cause.help)):
        if "requires_grad, " in text:
            model.half()
            exec(_CODE.search(text)[1], {"model": model})
            assert [p.dtype for p in model.parameters()] == [torch.float16] * 2 + [torch.float32] * 2


def test_code_that_torch_refuses_is_seen():
    assert refused("torch.add(x, y, dtype=torch.float32)")
    assert refused("x.std_mean(dim=0)")
    assert not refused("x.cumsum(0, dtype=torch.float32)")


def test_each_form_is_one_that_a_loss_has():
    """By the calls that name both, and by the strings of the files that decide on a form."""
    named, words = set(), set()
    for file in _SOURCES:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words.add(node.value)
            if isinstance(node, ast.Call):
                given = {key.arg: key.value.value for key in node.keywords if isinstance(key.value, ast.Constant)}
                if "rule" in given and "form" in given:
                    named.add((given["rule"], given["form"]))
    assert sorted(named - HELP.keys()) == []
    assert len(named) > 20
    assert sorted(form for _, form in HELP if form not in words) == []
