"""A key of a configuration file gets another value, and nothing else of the file changes."""

from __future__ import annotations

import json

import pytest

from miscast.planning.matrix.changed_file import Change, UnchangeableError, contents

YAML = "# train\ntrain:\n  precision: fp16   # why\n  sizes: [1, 2]\nname: 'a'\n"


def changed(tmp_path, name, text, *changes):
    file = tmp_path / name
    file.write_bytes(text.encode())
    ((path, content),) = contents([Change(str(file), tuple(key.split(".")), value) for key, value in changes]).items()
    assert path == str(file)
    assert file.read_bytes() == text.encode()
    return content.decode()


def test_yaml_keeps_its_comments(tmp_path):
    new = changed(tmp_path, "a.yaml", YAML, ("train.precision", "bf16"), ("train.sizes.1", "7"))
    assert new == YAML.replace("fp16", "bf16").replace("[1, 2]", "[1, 7]")


def test_two_values_of_one_line(tmp_path):
    new = changed(tmp_path, "a.yaml", "a: {b: 1, c: 2}\r\n", ("a.b", "100"), ("a.c", "x"))
    assert new == "a: {b: 100, c: x}\r\n"


def test_a_word_is_a_string_in_json_and_toml(tmp_path):
    text = '{"fp16": {"enabled": false, "mode": "a"}}'
    new = changed(tmp_path, "a.json", text, ("fp16.enabled", "true"), ("fp16.mode", "auto"))
    assert json.loads(new) == {"fp16": {"enabled": True, "mode": "auto"}}
    assert changed(tmp_path, "a.toml", "[a]\nb = 'x'\n", ("a.b", "y")) == '[a]\nb = "y"\n'


@pytest.mark.parametrize(
    ("name", "text", "key", "said"),
    [
        ("a.yaml", YAML, "train.dtype", "no value train.dtype"),
        ("a.yaml", "a: |\n  b\n  c\n", "a", "several lines"),
        ("a.json", "{", "a", "a.json"),
    ],
)
def test_what_cannot_be_changed_is_said_in_one_line(name, text, key, said, tmp_path):
    with pytest.raises(UnchangeableError, match=said) as refused:
        changed(tmp_path, name, text, (key, "1"))
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UnchangeableError, match="No such file"):
        contents([Change(str(tmp_path / "b.yaml"), ("a",), "1")])
