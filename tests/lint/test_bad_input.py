"""What cannot be read is named in one line with its place, and the rest is read; nothing hangs, nothing is executed."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter

import pytest

from miscast.cli import main
from miscast.lint import lint
from sweep import sweep

GOOD = "output_dir: o\nper_device_train_batch_size: 1\nfp16: true\nbf16: true\n"
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)
)
BROKEN = {
    "JSON that ends": ("ds.json", b'{"fp16": {"enabled": true,', "ds.json:1:27: not JSON: Expecting property name"),
    "JSON with a trailing comma": (
        "ds.json",
        b'{\n  "fp16": {"enabled": true},\n}',
        "ds.json:3:1: not JSON: Expecting property name"
        if sys.version_info < (3, 13)
        else "ds.json:2:28: not JSON: Illegal trailing comma",
    ),
    "JSON that is nested too deeply": ("ds.json", b"[" * 100_000, "nested too deeply"),
    "YAML with a tab": ("a.yaml", b"a: 1\n\tb: 2\n", "a.yaml:2:1: not YAML: found a tab character"),
    "YAML of another indentation": ("a.yaml", b"a: 1\n  b: 2\n", "a.yaml:2:4: not YAML: mapping values are not allowed"),
    "a YAML bomb": ("a.yaml", BOMB.encode(), "too large or recursive once its aliases are followed"),
    "YAML that holds itself": ("a.yaml", b"a: &a\n  b: *a\n", "too large or recursive"),
    "YAML that is nested too deeply": ("a.yaml", b"[" * 5_000, "a.yaml"),
    "TOML without a value": ("a.toml", b"[training]\ndtype = \n", "a.toml:2:9: not TOML: Invalid value"),
    "TOML with a key twice": ("a.toml", b"a = 1\na = 2\n", "Cannot overwrite a value"),
    "a dotenv with a stray quote": (".env", b'A="x\nB=1\n', ".env:2:4: not a shell assignment"),
    "Python that is named": ("t.py", b"Trainer(precision=\n", "t.py:1:8: '(' was never closed"),
    "binary content": ("a.yaml", b"\x7fELF\0\0\0\x01", "a.yaml:1: binary content"),
    "a key of 20,000 parts": ("a.toml", b"b = 1\na" + b".a" * 20_000 + b" = 1\n", "a.toml:2:1: not TOML: nested too deeply"),
    "a table of 20,000 parts": ("a.toml", b"[a" + b'."a"' * 20_000 + b"]\nb = 1\n", "a.toml:1:2: not TOML: nested too deeply"),
    "a command of 200,000 flags": (
        "run.sh",
        b"cd x\npython t.py " + b"--a " * 200_000 + b"\n",
        "run.sh:2:1: a command of more than 20,000 words",
    ),
    "JSON that is data": (
        "a.json",
        b"[" + b"1," * 120_000 + b"1]",
        "a.json:1:200002: More than 100,000 values",
    ),
    "no text in a value behind a comment that is none either": (
        "a.yaml",
        b"# caf\xe9\na: caf\xe9\n",
        "a.yaml:2: not utf-8 text",
    ),
    "a number of 10,000 digits": ("a.toml", b"a = " + b"9" * 10_000 + b"\n", "a.toml: Exceeds the limit (4300 digits)"),
    "half of a surrogate pair in a notebook": (
        "n.ipynb",
        b'{"cells": [{"cell_type": "code", "source": ["!python t.py --fp16 \\ud800"]}]}',
        "n.ipynb: 'utf-8' codec can't encode",
    ),
    "no text": ("a.json", b'{"a": "\xff\xfe"}', "a.json:1: not utf-8 text"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_named_and_the_others_are_read(case, tmp_path, capsys):
    name, raw, said = BROKEN[case]
    (tmp_path / name).write_bytes(raw)
    (tmp_path / "train.yaml").write_text(GOOD)
    assert main(["lint", str(tmp_path / name), str(tmp_path / "train.yaml")]) == 2
    out, err = capsys.readouterr()
    assert "both-half-dtypes" in out
    assert said in err
    assert err.count("\n") == 1


def test_a_large_file_is_refused_where_it_is_named_and_skipped_where_it_is_found(tmp_path, capsys):
    (tmp_path / "train.yaml").write_text(GOOD)
    with open(tmp_path / "data.json", "wb") as file:
        file.truncate(100_000_000)
    assert main(["lint", str(tmp_path / "data.json"), str(tmp_path / "train.yaml")]) == 2
    assert "100 MB: too large for a configuration" in capsys.readouterr().err
    assert main(["lint", str(tmp_path)]) == 1


@pytest.mark.parametrize("case", ["JSON that is data", "a YAML bomb"])
def test_what_has_too_many_values_is_data_where_it_is_found(case, tmp_path):
    name, raw, _ = BROKEN[case]
    (tmp_path / name).write_bytes(raw)
    (tmp_path / "train.yaml").write_text(GOOD)
    assert main(["lint", str(tmp_path)]) == 1


def test_links_that_loop_end(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "train.yaml").write_text(GOOD)
    os.symlink(tmp_path, tmp_path / "a" / "loop")
    os.symlink("self.yaml", tmp_path / "self.yaml")
    os.symlink(tmp_path / "a" / "train.yaml", tmp_path / "again.yaml")
    assert lint([str(tmp_path)]).files == 1


def test_a_pipe_is_not_waited_for(tmp_path, capsys):
    os.mkfifo(tmp_path / "p.yaml")
    assert main(["lint", str(tmp_path / "p.yaml")]) == 2
    assert "neither a file nor a folder" in capsys.readouterr().err
    assert main(["lint", str(tmp_path)]) == 0


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_mark_and_line_ends_shift_nothing(mark, end, tmp_path):
    (tmp_path / "t.yaml").write_bytes((mark + GOOD.replace("\n", end)).encode())
    (finding,) = lint([str(tmp_path)]).report.findings
    assert (finding.location.line, finding.location.column, finding.location.code) == (3, 7, "fp16: true")


ENDS = {
    "lone carriage returns, YAML": ("t.yaml", GOOD.replace("\n", "\r"), (3, 7)),
    "lone carriage returns, JSON": (
        "t.json",
        '{"output_dir": "o",\r"num_train_epochs": 1,\r"fp16": true,\r"bf16": true}\r',
        (3, 9),
    ),
    "lone carriage returns, Python": ("t.py", "import torch  # é\rTrainer(precision=13)\r", (2, 19)),
    "lone carriage returns, shell": (
        "t.sh",
        "# é\rpython train.py --output_dir o --per_device_train_batch_size 1 --fp16 --bf16\r",
        (2, 64),
    ),
    "what ends a line for YAML only": ("t.yaml", "# a\u2028# b\x85" + GOOD, (3, 7)),
    "a latin-1 comment in YAML": ("t.yaml", b"# caf\xe9\n" + GOOD.encode(), (4, 7)),
    "a latin-1 comment in a script": (
        "t.sh",
        b"echo caf\xe9 # \xe9\npython train.py --output_dir o --num_train_epochs 1 --fp16 --bf16\n",
        (2, 53),
    ),
    "Python in the encoding that it declares": (
        "t.py",
        b"# -*- coding: latin-1 -*-\ns = 'caf\xe9'\nTrainer(precision=13)\n",
        (3, 19),
    ),
}


@sweep("case", ENDS)
def test_line_ends_and_encodings_lose_no_finding(case, tmp_path):
    name, text, place = ENDS[case]
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    outcome = lint([str(tmp_path)])
    (finding,) = outcome.report.findings
    assert outcome.broken == ()
    assert (finding.location.line, finding.location.column) == place


def test_utf_16_is_read(tmp_path):
    (tmp_path / "t.yaml").write_bytes(GOOD.encode("utf-16"))
    assert len(lint([str(tmp_path)]).report.findings) == 1


HARMLESS = {
    "NaN": ("ds.json", '{"zero_optimization": {"stage": 2}, "optimizer": {"params": {"lr": NaN}}}'),
    "a duplicate with the same value": ("train.yaml", "output_dir: o\nnum_train_epochs: 1\nbf16: true\nbf16: true\n"),
    "variables that nobody sets": ("run.sh", 'python train_network.py --network_module=n --full_fp16 $MORE "${ALL[@]}"\n'),
    "a precision from code": ("t.py", "Trainer(precision=args.precision, plugins=make())\n"),
    "words in comments": ("run.sh", "# accelerate launch --mixed_precision fp32 train.py\necho --fp16 --bf16\n"),
    "comments in JSON": ("ds.json", '{ // one\n "bf16": {"enabled": true} /* two */ }'),
    "an empty file": ("a.yaml", ""),
    "a file that is made of itself, twice": ("a.yaml", "defaults:\n  - a\n  - a\n  - ../../../etc/b\nx: 1\n"),
    "a base outside of what is read": ("a.yaml", "_BASE_: ../../../../../../../etc/a.yaml\nMODEL:\n  WEIGHTS: w\n"),
    "a file that is one value": ("a.json", "true"),
    "a file that is a list": ("a.yaml", "- 1\n- fp16: true\n"),
    "a variable that doubles": ("run.sh", "A=xxxxxxxx\n" + 'A="$A $A"\n' * 60 + "python t.py $A\n"),
    "an array that doubles": ("run.sh", "A=(x y)\n" + 'A=("${A[@]}" "${A[@]}")\n' * 60 + 'python t.py "${A[@]}"\n'),
    "names in names": ("t.py", "".join(f"a{n} = [{', '.join([f'a{n - 1}'] * 9)}]\n" for n in range(1, 30)) + "Trainer(plugins=a29)\n"),
    "a recipe with 28,000 letters": (
        "r.yaml",
        "trainer:\n  precision: 16-mixed\n  accelerator: gpu\nlabels: &l\n" + "- 字\n" * 7_000 + "a: *l\nb: *l\nc: *l\n",
    ),
    "a line of many words": ("run.sh", "python t.py " + "--a " * 19_000 + "\n"),
    "a sentence of many dots": ("a.toml", "a = '" + "One sentence. " * 5_000 + "'\n# " + "x. " * 150 + "\n"),
    "parentheses": ("t.py", "Trainer(precision=" + "(" * 150 + ")" * 150 + ")\n"),
}  # fmt: skip


@sweep("case", HARMLESS)
def test_what_is_unusual_is_read_in_time_without_a_finding(case, tmp_path):
    name, text = HARMLESS[case]
    (tmp_path / name).write_text(text)
    outcome = lint([str(tmp_path)])
    assert (outcome.report.findings, outcome.broken) == ((), ())


def test_nothing_is_executed(tmp_path):
    (tmp_path / "run.sh").write_text(
        f"touch {tmp_path}/ran; A=$(touch {tmp_path}/ran) python t.py --fp16 `touch {tmp_path}/ran`\n"
    )
    (tmp_path / "t.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w'); Trainer(precision=16)\n")
    (tmp_path / "a.yaml").write_text(f"a: !!python/object/apply:os.system ['touch {tmp_path}/ran']\n")
    lint([str(tmp_path)])
    assert not (tmp_path / "ran").exists()


def test_the_work_does_not_grow_with_the_square_of_the_files(tmp_path):
    few, many = (_calls(tmp_path / f"{folders}", folders) for folders in (25, 100))
    assert many < 5 * few


def _calls(root, folders):
    """Return how many Python functions `lint` calls for four files in each of so many folders."""
    deepspeed = json.dumps(
        {"zero_optimization": {"stage": 2}, "bf16": {"enabled": "auto"}, "train_batch_size": "auto"}, indent=2
    )
    for index in range(folders):
        folder = root / f"{index}"
        folder.mkdir(parents=True)
        (folder / "train.yaml").write_text(
            "output_dir: o\nnum_train_epochs: 1\nbf16: true\ndeepspeed: ds.json\n" + "# x\n" * 40
        )
        (folder / "ds.json").write_text(deepspeed)
        (folder / "run.sh").write_text(
            "#!/bin/bash\nexport A=1\naccelerate launch train.py --output_dir o --seed 1 \\\n  --x 2\n"
        )
        (folder / "c.toml").write_text('[training]\nseq_len = 1\nsteps = 2\n[optimizer]\nlr = 1e-3\nname = "AdamW"\n')
    calls = Counter()
    sys.setprofile(lambda _frame, event, _arg: calls.update([event]))
    try:
        outcome = lint([str(root)])
    finally:
        sys.setprofile(None)
    assert outcome.files == 4 * folders
    assert outcome.report.findings == ()
    return calls["call"]
