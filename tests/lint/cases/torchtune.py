"""Contradictions of torchtune."""

from __future__ import annotations

from . import Case

CASES = {
    "torchtune: fp16": Case(
        files={"r.yaml": "model:\n  _component_: torchtune.models.llama3.llama3_8b\ntokenizer:\n  _component_: t\n"
               "dtype: ▸fp16\n"},
        rule="recipe-excludes-dtype", says="full fp16 training is not supported", fix=("fp16", "bf16"),
    ),
    "torchtune: an override": Case(
        files={"run.sh": "tune run full_finetune_single_device --config r.yaml dtype=▸fp16\n",
               "r.yaml": "model:\n  _component_: m\ntokenizer:\n  _component_: t\ndtype: bf16\n"},
        rule="recipe-excludes-dtype", says="full fp16 training is not supported", fix=("dtype=fp16", "dtype=bf16"),
    ),
    "torchtune: override fp16": Case(
        files={
            "r.sh": "tune run full_finetune_single_device --config llama3/8B_full dtype=▸fp16\n",
        },
        rule="recipe-excludes-dtype", says="ValueError: full fp16 training is not supported with this re",
        fix=("dtype=fp16", "dtype=bf16"),
    ),
    "torchtune: dtype float16": Case(
        files={
            "c.yaml": (
                "model:\n  _component_: torchtune.models.llama3.llama3_8b\ntokenizer:\n  _component_: t\n"
                "dtype: ▸float16\n"
            ),
        },
        rule="rejected-value", says="ValueError: Dtype float16 must be one of fp16, bf16, fp32, f",
        fix=("dtype: float16", "dtype: bf16"),
    ),
    "torchtune: bf16 on v100": Case(
        files={
            "c.yaml": (
                "model:\n  _component_: torchtune.models.llama3.llama3_8b\ntokenizer:\n  _component_: t\n"
                "dtype: ▸bf16\ndevice: cuda\n"
            ),
        },
        rule="setting-not-on-machine", says="right values, but slow: each op ", machine="v100", severity="warning",
        fix=("dtype: bf16", "dtype: fp32"),
    ),
    "torchtune: bf16 on a device that is not there": Case(
        files={"c.yaml": "model:\n  _component_: torchtune.models.llama3.llama3_8b\ntokenizer:\n  _component_: t\n"
               "dtype: ▸bf16\ndevice: cuda\n"},
        machine="cpu", rule="recipe-excludes-dtype", says="not available on this hardware",
        fix=("device: cuda", "device: cpu"),
    ),
}  # fmt: skip
