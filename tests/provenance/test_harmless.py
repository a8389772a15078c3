"""Frames are looked at without running any code of the program, on the virtual machine and after a real failure."""

from __future__ import annotations

import ast
import builtins
import sys

import pytest
import torch

import miscast
from miscast.api import check_program
from miscast.vm.provenance.contents import attributes_of, items_of
from miscast.vm.provenance.safe_lookup import UNREAD, value_of
from sweep import sweep

LOUD = '''
import builtins
import torch
from torch import nn

def ran(*args, **kwargs):
    builtins.ran_code.append(args[1:])
    raise AttributeError

class Meta(type):
    __getattr__ = __eq__ = __instancecheck__ = __subclasscheck__ = ran
    __hash__ = type.__hash__

class Loud(metaclass=Meta):
    """Every way to look at it is code of the program's."""
    __getattribute__ = __getattr__ = __getitem__ = __iter__ = __len__ = __bool__ = __eq__ = __repr__ = ran
    __contains__ = __call__ = __add__ = __index__ = ran
    __hash__ = object.__hash__
    stored = property(ran)
    __dict__ = property(ran)
    __class__ = property(ran)

class LoudDict(dict):
    __slots__ = ()
    __getitem__ = __missing__ = __iter__ = items = values = keys = get = __contains__ = ran

class LoudList(list):
    __getitem__ = __iter__ = __len__ = ran

class Key:
    """Equal to a text, by its own word."""
    def __hash__(self):
        return hash("x")
    def __eq__(self, other):
        builtins.ran_code.append("==")
        return False

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 4)
        self.loud = Loud()
    def parameters(self, recurse=True):
        ran()
    named_parameters = named_modules = named_buffers = buffers = modules = parameters
    def forward(self, x):
        return self.inner(x)

loud, many, row = Loud(), LoudDict(x=1), LoudList([1])
keyed = {}
keyed[Key()] = 1
builtins.ran_code = []
'''
LOOKED_AT = """
def step(net, x, loud, many, row, keyed):
    never = False
    x = x * 2 if not never else (loud.stored, loud[0], many["x"], row[0], loud.kept.more, keyed["x"], loud())
    return net(x) if not never else (loud.stored, loud[0], many["x"], row[0], net.loud.kept, keyed["x"], loud + 1)
"""
EXPRESSIONS = [
    "loud.stored", "loud.kept", "loud[0]", "loud()", "loud + 1", "-loud", "not loud", "loud == 1", "1 in loud",
    "loud or 1", "[1][loud]", "many['x']", "many['y']", "row[0]", "row[0:1]", "keyed['x']", "len(row)", "list(row)",
    "range(loud)", "net.loud.kept",
]  # fmt: skip


@pytest.fixture
def ran_code(monkeypatch):
    monkeypatch.setattr(builtins, "ran_code", [], raising=False)
    return lambda: builtins.ran_code


@sweep("text", EXPRESSIONS)
def test_no_expression_runs_code(text, ran_code):
    names = {}
    exec(LOUD, names)
    loud, many, row, keyed, net = (names.get(one) for one in ("loud", "many", "row", "keyed", "Net"))
    net = net()
    del builtins.ran_code[:]
    assert value_of(ast.parse(text, mode="eval").body, sys._getframe()) is UNREAD
    assert (attributes_of(loud), list(items_of(loud))) == ({}, [])
    assert [list(items_of(many)), list(items_of(row))] == [[("x", 1)], [(0, 1)]]
    assert ran_code() == []
    del keyed


def test_a_class_body_with_names_of_its_own_kind(ran_code):
    class Names(dict):
        def __getitem__(self, name):
            builtins.ran_code.append(name)
            return super().__getitem__(name)

    class Kind(type):
        @classmethod
        def __prepare__(cls, *_):
            return Names(anything=1, value_of=value_of, ast=ast, sys=sys)

    class Body(metaclass=Kind):
        found = value_of(ast.parse("anything", mode="eval").body, sys._getframe())

    assert Body.found is UNREAD
    assert "anything" not in ran_code()


def test_a_check_runs_no_code(tmp_path, ran_code):
    script = tmp_path / "train.py"
    last = 'step(Net().half().to("cuda"), torch.ones(2, 3, device="cuda"), loud, many, row, keyed)\n'
    script.write_text(LOUD + LOOKED_AT + last, encoding="utf-8")
    report = check_program(str(script), machine="v100")
    assert report.causes
    assert report.ended is None, report
    assert ran_code() == []


def test_an_explanation_runs_no_code(tmp_path, ran_code):
    names = {"__name__": "train"}
    script = tmp_path / "train.py"
    script.write_text(LOUD + LOOKED_AT, encoding="utf-8")
    exec(compile(script.read_text(encoding="utf-8"), str(script), "exec"), names)
    with pytest.raises(RuntimeError) as caught:
        names["step"](names["Net"]().half(), torch.ones(2, 3), *(names[n] for n in ("loud", "many", "row", "keyed")))
    del builtins.ran_code[:]
    told = miscast.explain(caught.value)
    assert [one.dtype for one in told[0].operands][:2] == ["float32", "float16"]
    assert ran_code() == []
