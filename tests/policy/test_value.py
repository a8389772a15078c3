"""The policy as a value: names, files, overrides, errors."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch import nn

from miscast import Policy, PolicyError
from sweep import sweep

SHORT = {
    "64-true": Policy(param_dtype=torch.float64, compute_dtype=torch.float64),
    "32-true": Policy(param_dtype=torch.float32, compute_dtype=torch.float32),
    "16-true": Policy(param_dtype=torch.float16, compute_dtype=torch.float16),
    "bf16-true": Policy(param_dtype=torch.bfloat16, compute_dtype=torch.bfloat16),
    "16-mixed": Policy(param_dtype=torch.float32, compute_dtype=torch.float16),
    "bf16-mixed": Policy(param_dtype=torch.float32, compute_dtype=torch.bfloat16),
}


@pytest.mark.parametrize("name", SHORT)
def test_short_names(name):
    assert Policy.parse(name) == SHORT[name]
    assert str(SHORT[name]) == name


@pytest.mark.parametrize(
    ("text", "policy"),
    {
        "params=float32,compute=bfloat16,output=float32": Policy(
            param_dtype="float32", compute_dtype="bfloat16", output_dtype="float32"
        ),
        "p=f32, c=f16, o=f32": Policy(param_dtype="float32", compute_dtype="float16", output_dtype="float32"),
        "params=bf16,reduce=fp32,buffers=half": Policy(
            param_dtype="bfloat16", reduce_dtype="float32", buffer_dtype="float16"
        ),
        "float64": Policy(param_dtype="float64", compute_dtype="float64"),
        "torch.bfloat16": Policy(param_dtype="bfloat16", compute_dtype="bfloat16"),
    }.items(),
)
def test_texts(text, policy):
    assert Policy.parse(text) == policy
    assert Policy.parse(str(policy)) == policy


REFUSED = {
    "bf16-mixd": "'bf16-mixd' is not a policy: did you mean bf16-mixed?",
    "xyz": "'xyz' is not a policy: expected 64-true, 32-true, 16-true, bf16-true, 16-mixed, bf16-mixed, or "
    "params=…,compute=…,output=…",
    "bf16": "'bf16' is ambiguous: write bf16-true (weights and forward) or bf16-mixed (float32 weights)",
    "params=float32,computes=half": "'computes' is not a part of a policy: did you mean compute?",
    "params=float33": "param_dtype: 'float33' is not a dtype: did you mean float32?",
    "compute=int8": "compute_dtype: int8 is not a floating-point dtype; integers, booleans and complex "
        "numbers are not changed",
    "p=f32,params=f16": "params appears twice in 'p=f32,params=f16'",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_policy(text):
    with pytest.raises(PolicyError) as error:
        Policy.parse(text)
    assert str(error.value) == REFUSED[text]


def test_dtypes_by_object_and_by_any_spelling():
    assert Policy(param_dtype=torch.float16, output_dtype="c10::BFloat16") == Policy(
        param_dtype="half", output_dtype="bf16"
    )


OVERRIDDEN = Policy(
    param_dtype="bfloat16",
    reduce_dtype="float32",
    overrides={
        "vae": torch.float32,
        "**.norm*": Policy(param_dtype="float32", output_dtype="bfloat16"),
        nn.LayerNorm: "32-true",
        'odd "key"\x7f\n': "float16",
    },
)


@pytest.mark.parametrize("ending", ["toml", "json"])
@sweep("policy", [*SHORT.values(), OVERRIDDEN, Policy()])
def test_files_hold_the_same_value(policy, ending, tmp_path):
    path = str(tmp_path / f"policy.{ending}")
    policy.write(path)
    assert Policy.read(path) == policy
    assert Policy.from_toml(policy.to_toml()) == Policy.from_json(policy.to_json()) == policy


def test_toml_as_people_write_it():
    text = """
    param_dtype = "float32"
    compute_dtype = "bf16"
    [overrides]
    vae = "float32"
    "**.norm*" = { param_dtype = "float32", output_dtype = "bfloat16" }
    "class:LayerNorm" = "32-true"
    """
    assert Policy.from_toml(text) == Policy(
        param_dtype="float32",
        compute_dtype="bfloat16",
        overrides=(
            ("vae", "float32"),
            ("**.norm*", Policy(param_dtype="float32", output_dtype="bfloat16")),
            ("class:LayerNorm", "float32"),
        ),
    )


@sweep(
    ("read", "text", "message"),
    [
        (Policy.from_toml, "param = 'float32'", "unknown policy field 'param': did you mean param_dtype?"),
        (Policy.from_toml, "param_dtype = 16", "param_dtype must be the name of a dtype, not 16"),
        (Policy.from_toml, "param_dtype", "not TOML: "),
        (Policy.from_json, "{", "not JSON: "),
        (Policy.from_json, '{"param_dtype": "half", "param_dtype": "float"}', "'param_dtype' appears twice"),
        (Policy.from_json, "[]", "a policy must be a table with param_dtype, "),
        (Policy.from_json, '{"overrides": {"vae": "flaot32"}}', "override 'vae': 'flaot32' is not a dtype: did you"),
        (Policy.from_json, '{"overrides": {"vae": {}}}', "the override 'vae' is empty"),
        (Policy.from_json, '{"overrides": {"": "half"}}', "an override key must be a module path"),
        (Policy.from_json, "[" * 100_000, "not JSON: "),
        (Policy.from_json, " " * 2_000_000, "2,000,000 characters are too many for a policy"),
        (Policy.read, "policy.yaml", "policy.yaml: a policy file must end in .toml or .json"),
    ],
)
def test_files_that_are_no_policy(read, text, message):
    with pytest.raises(PolicyError) as error:
        read(text)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_the_value_needs_no_torch():
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from miscast import Policy\n"
        "p = Policy(param_dtype='bf16', overrides={'vae': 'float32'})\n"
        "print(Policy.from_toml(p.to_toml()) == p, Policy.parse('bf16-mixed').export('fsdp2').settings)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60).stdout
    assert out == "True {'param_dtype': 'bfloat16'}\n"


def test_a_policy_is_a_value():
    assert len({Policy.parse("bf16-true"), Policy.parse("bf16-true"), Policy.parse("16-true")}) == 2
    with pytest.raises(AttributeError):
        Policy().param_dtype = "float32"  # type: ignore[misc]


def test_many_stars_take_no_time():
    from miscast.policy.matching import names

    assert not names("*a" * 12 + "b", "a" * 60, object)  # a regular expression would go through 10**12 ways
    assert names("**a" * 12, "a" * 60, object)
