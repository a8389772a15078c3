"""Each op has one entry, no word tells two of them, and torch has what its entries say of torch."""

from __future__ import annotations

import dataclasses
from collections import Counter

import pytest

from miscast.core.ops import NAMES, OPS, Op, by, entry
from miscast.core.ops.others import OTHERS
from sweep import sweep

WORDS = ("aliases", "begins", "layers", "modules", "file", "functions", "programs", "methods", "own_arguments",
         "arguments", "frames")  # fmt: skip


def repeated(words):
    return {word: times for word, times in Counter(words).items() if times > 1}


def test_an_op_has_one_entry():
    assert not repeated(op.name.rstrip("_") for op in OPS)
    assert not repeated(word for op in OPS for word in (op.name, *op.schemas.split()))


@sweep("field", WORDS)
def test_a_word_tells_one_op(field):
    assert not repeated(word for op in OPS for word in getattr(op, field).split())


def test_every_field_of_words_is_held_to_that():
    assert {field.name for field in dataclasses.fields(Op) if field.type == "str"} == {"name", "schemas", *WORDS}


def test_every_entry_says_something():
    assert [op.name for op in OPS if op == Op(name=op.name, ours=op.ours)] == []


def test_what_has_an_entry_is_not_listed_beside_it():
    assert OTHERS.isdisjoint(word for op in OPS for word in (op.name, *op.schemas.split()))


def test_entries_are_found_in_place_or_not():
    assert entry("lerp") is entry("lerp_")
    assert entry("layer_norm").layer
    assert entry("no_such_op") == entry(None) == entry("") == Op(name="")


def test_the_longest_word_comes_first():
    lengths = [len(word) for word in by(lambda op: op.begins)]
    assert lengths == sorted(lengths, reverse=True)


def test_the_names_are_torchs():
    torch = pytest.importorskip("torch")
    known = {schema.name.partition("::")[2].rstrip("_") for schema in torch._C._jit_get_all_schemas()}
    known |= {name.rstrip("_") for name in vars(torch.nn.functional)}
    # torch 2.14 has no `qr` and `cholesky` any more, but in torch.linalg
    known |= {"qr", "cholesky"}
    assert NAMES - known <= {"scatter_gather", "conv_transpose2d", "random", "uniform", "normal", "fill", "copy"}




def test_modules_are_torchs():
    modules = pytest.importorskip("torch").nn.modules
    unknown = {name for name in by(lambda op: op.modules) if not hasattr(modules, name)}
    assert unknown <= {"_BatchNorm"}
    assert hasattr(modules.batchnorm, "_BatchNorm")


def test_files_and_methods_are_torchs():
    torch = pytest.importorskip("torch")
    from pathlib import Path

    files = {"/".join(path.parts[-2:]) for path in Path(torch.__file__).parent.glob("**/*.py") if path.is_file()}
    assert set(by(lambda op: op.file)) <= files
    functions = {name for name in by(lambda op: op.methods) if not hasattr(torch.Tensor, name)}
    assert functions == {"cat", "einsum"}
