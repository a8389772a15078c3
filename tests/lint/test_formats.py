"""Each format gives every value with its line and column; what only a run can tell is unknown."""

from __future__ import annotations

import pytest

from miscast.lint import formats
from miscast.lint.setting import Unknown
from sweep import sweep

FILES = {
    "a.json": (
        '{ // one\n "fp16": {"enabled": "auto", "x": [1, -2.5e-3]},\n\t"é": true, /* two */ "n": null\n}',
        [("fp16.enabled", "auto", 2, 22), ("fp16.x.0", 1, 2, 36), ("fp16.x.1", -0.0025, 2, 39), ("é", True, 3, 7),
         ("n", None, 3, 28)],
    ),
    "a.yaml": (
        "base: &b {x: 1, y: no}\nc:\n  <<: *b\n  x: 1e-4\n  é: 'no'  # word\nl: [1.5, \"a\"]\n",
        [("base.x", 1, 1, 14), ("base.y", False, 1, 20), ("c.y", False, 1, 20), ("c.x", "1e-4", 4, 6),
         ("c.é", "no", 5, 6), ("l.0", 1.5, 6, 5), ("l.1", "a", 6, 10)],
    ),
    "a.toml": (
        'a.b = 1\n[x.y]\ns = "é\\n" # é\narr = [1, {k = 2}]\n[[t]]\nz = 0x10\n[[t]]\n"é" = true; '[:-2] + "\n",
        [("a.b", 1, 1, 7), ("x.y.s", "é\n", 3, 5), ("x.y.arr.0", 1, 4, 8), ("x.y.arr.1.k", 2, 4, 16),
         ("t.0.z", 16, 6, 5), ("t.1.é", True, 8, 7)],
    ),
    ".env": (
        "# x\nA=bf16\nexport B='x y' # z\nC=\"${A}\"\nD=$NONE\n",
        [("A", "bf16", 2, 3), ("B", "x y", 3, 11), ("C", "bf16", 2, 3), ("D", Unknown(text="$NONE"), 5, 3)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_values_and_places(name, tmp_path):
    text, wanted = FILES[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    (document,) = formats.read(str(tmp_path / name))
    assert [(e.path, e.value, e.at.line, e.at.column) for e in document.entries] == wanted
    for entry in document.entries:
        assert entry.at.code[entry.at.column - 1 : entry.at.end - 1] in (entry.text, f"'{entry.text}'")


COMMANDS = {
    "an option in each form": (
        "python t.py --a 1 --b=x --c --d -1 e=2 --f-g 'h i'",
        [("t.py", {"a": "1", "b": "x", "c": True, "d": "-1", "e": "2", "f_g": "h i"})],
    ),
    "a launcher, and the script that it starts": (
        "accelerate launch --num_processes 2 --multi_gpu --mixed_precision=bf16 \\\n  dir/train.py --lr 1e-4 > log 2>&1",
        [("accelerate launch", {"num_processes": "2", "multi_gpu": True, "mixed_precision": "bf16"}),
         ("dir/train.py", {"lr": "1e-4"})],
    ),
    "a launcher that is a module": (
        "CUDA_VISIBLE_DEVICES=0 nohup python -m torch.distributed.run --nproc_per_node=4 t.py --fp16",
        [("torchrun", {"nproc_per_node": "4"}), ("t.py", {"fp16": True})],
    ),
    "an interpreter's own options": (
        "python -W ignore -X dev -u t.py --a 1\npython -c 'import t' --b 2",
        [("t.py", {"a": "1"})],
    ),
    "variables and arrays": (
        'P=fp16\nARGS=(--a "x y")\nARGS+=(--b=$P)\nMORE="--c 1 \\\n  --d 2"\npython t.py "${ARGS[@]}" $MORE ${Q:-z} --e $P',
        [("t.py", {"a": "x y", "b": "fp16", "c": "1", "d": "2", "@0": "z", "e": "fp16"})],
    ),
    "a command that is put together": (
        'O=" \\\n --mode finetune \\\n --n $N \\\n"\nC="${X} deepspeed --num_gpus 2 t.py ${O}"\neval ${C}',
        [("deepspeed", {"num_gpus": "2"}), ("t.py", {"mode": "finetune", "n": Unknown(text="$N")})],
    ),
    "subcommands": (
        "llamafactory-cli train a.yaml\ntune run lora --config c dtype=bf16",
        [("llamafactory-cli train", {"@0": "a.yaml"}), ("tune run", {"@0": "lora", "config": "c", "dtype": "bf16"})],
    ),
    "what is no program of ours": ("cd x && echo --fp16; ls -l | grep a; for i in 1 2; do rm $i; done", []),
}  # fmt: skip


@sweep("case", COMMANDS)
def test_commands(case, tmp_path):
    text, wanted = COMMANDS[case]
    (tmp_path / "r.sh").write_text(text + "\n")
    found = [d for d in formats.read(str(tmp_path / "r.sh")) if d.origin == "command"]
    assert [(d.name, {e.path: e.value for e in d.entries}) for d in found] == wanted


def test_an_argument_in_a_string_of_several_lines_has_its_own_place(tmp_path):
    (tmp_path / "r.sh").write_text('ARGS=" \\\n  --a 1 \\\n  --bb $X --c fp16"\npython t.py $ARGS\n')
    entries = {e.path: e.at for d in formats.read(str(tmp_path / "r.sh")) for e in d.entries if d.origin == "command"}
    assert {name: (at.line, at.column) for name, at in entries.items()} == {"a": (2, 7), "bb": (3, 8), "c": (3, 15)}


def test_calls_in_python(tmp_path):
    (tmp_path / "t.py").write_text(
        'P = "16-mixed"\nQ = 1\nQ = 2\nos.environ["A"] = "1"\n'
        't = pl.Trainer(precision=P, devices=Q, plugins=[Foo("x")], d={"é": torch.float16}, **kw)\n',
        encoding="utf-8",
    )
    call, environment = formats.read(str(tmp_path / "t.py"))
    assert call.name == "pl.Trainer"
    assert [(e.path, e.value, e.at.line, e.at.column) for e in call.entries] == [
        ("precision", "16-mixed", 1, 5),
        ("devices", Unknown(text="Q"), 5, 37),
        ("plugins.0", Unknown(text="Foo(…)"), 5, 49),
        ("d.é", "torch.float16", 5, 68),
        ("**", Unknown(text="kw"), 5, 5),
    ]
    assert [(e.path, e.value) for e in environment.entries] == [("A", "1")]


@pytest.mark.parametrize(
    ("text", "format_"),
    [
        ("#!/bin/bash\npython t.py --a 1\n", "command"),
        ('{"a": 1}', "file"),
        ("[a]\nb = 1\n", "file"),
        ("a: 1\n", "file"),
    ],
)
def test_a_file_without_a_suffix_is_told_by_its_content(text, format_, tmp_path):
    (tmp_path / "settings").write_text(text)
    assert [d.origin for d in formats.read(str(tmp_path / "settings"))] == [format_]


OWN = {
    "a library's": ("from lightning import Trainer\nTrainer(precision=16)\n", 1),
    "another module's": ("import pl\nclass Trainer: pass\npl.Trainer(precision=16)\n", 1),
    "made of a library's": ("import pl\nclass Trainer(pl.Trainer): pass\nTrainer(precision=16)\n", 1),
    "for want of a library's": (
        "try:\n    from torch import autocast\nexcept ImportError:\n    def autocast(*_): pass\nautocast('cuda')\n", 1
    ),
    "a method of that name": ("class Net:\n    def autocast(self): pass\nautocast('cuda')\n", 1),
    "its own": ("class Trainer(object):\n    pass\nTrainer(precision=16)\n", 0),
    "its own function": ("def initialize(x): pass\ninitialize(1)\n", 0),
}  # fmt: skip


@pytest.mark.parametrize("case", OWN)
def test_what_a_file_defines_itself_is_no_librarys(case, tmp_path):
    text, calls = OWN[case]
    (tmp_path / "train.py").write_text(text)
    assert [one.origin for one in formats.read(str(tmp_path / "train.py"))] == ["call"] * calls
