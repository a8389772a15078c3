"""Contradictions of slips and keys given twice."""

from __future__ import annotations

from . import KOHYA, TRAINER, ZERO, Case

CASES = {
    "twice: on a command line": Case(
        files={"run.sh": "python train_network.py --network_module=networks.lora --mixed_precision fp16 "
               "--mixed_precision ▸bf16\n"},
        severity="warning", rule="setting-given-twice", says="the last one counts",
        fix=("--mixed_precision fp16", "--mixed_precision bf16"),
    ),
    "twice: in YAML": Case(
        files={"train.yaml": TRAINER.format("fp16: true\nfp16: ▸false")}, severity="warning",
        rule="setting-given-twice", says="the last one counts", fix=("fp16: true\n", ""),
    ),
    "twice: in DeepSpeed's JSON": Case(
        files={"ds.json": ZERO.format('"bf16": {"enabled": true, "enabled": ▸false}')},
        rule="setting-given-twice", says="duplicate keys", fix=(', "enabled": false', ""),
    ),
    "slip: in accelerate's YAML": Case(
        files={"accelerate.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: NO\nmixed_precison: ▸bf16\n"},
        severity="warning", rule="unknown-key", says="unknown keys", fix=("precison", "precision"),
    ),
    "slip: in a TOML": Case(
        files={"config.toml": KOHYA.format('mixed_precision = "bf16"\nful_bf16 = ▸true')}, severity="warning",
        rule="unknown-key", says="ignored", fix=("ful_bf16", "full_bf16"),
    ),
    "slip: a field of the other section": Case(
        files={"ds.json": '{"train_batch_size": 8, "bf16": {"enabled": true, "min_loss_scale": ▸1}}'},
        rule="unknown-key", says="Extra inputs are not permitted", fix=(', "min_loss_scale": 1', ""),
    ),
    "slip: bfloat16 with a loss scale": Case(
        files={"ds.json": '{"train_batch_size": 8, "bf16": {"enabled": true, "loss_scale": ▸0}}'},
        rule="unknown-key", says="loss_scale: Extra inputs are not permitted", fix=(', "loss_scale": 0', ""),
    ),
    "slip: a field that no section has": Case(
        files={"ds.json": '{"train_batch_size": 8, "fp16": {"enabled": true, "scale": ▸0}}'},
        rule="unknown-key", says="scale: Extra inputs are not permitted", fix=('"scale": 0', '"scale": "auto"'),
    ),
}  # fmt: skip
