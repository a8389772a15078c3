"""Contradictions of torchtitan."""

from __future__ import annotations

from . import Case

CASES = {
    "torchtitan: reduction in bfloat16": Case(
        files={"t.toml": '[training]\nseq_len = 8192\nmixed_precision_reduce = ▸"bfloat16"\n'},
        rule="rejected-value", says="is not 'float32'", mend=('"bfloat16"', '"float32"'),
    ),
    "torchtitan: float16": Case(
        files={
            "c.toml": '[model]\nflavor = "8B"\n[training]\nseq_len = 8\nmixed_precision_param = ▸"float16"\n',
        },
        rule="rejected-value", says="tyro: 'float16' is none of 'bfloat16', 'float32'",
        mend=('"float16"', '"bfloat16"'),
    ),
    "torchtitan: reduce bf16": Case(
        files={
            "c.toml": '[model]\nflavor = "8B"\n[training]\nseq_len = 8\nmixed_precision_reduce = ▸"bfloat16"\n',
        },
        rule="rejected-value", says="tyro: 'bfloat16' is not 'float32'",
        mend=('"bfloat16"', '"float32"'),
    ),
    "torchtitan: float8 on a100": Case(
        files={
            "c.toml": '[model]\nflavor = "8B"\nconverters = [▸"float8"]\n[training]\nseq_len = 8\n',
        },
        rule="fp8-not-available", says="ValueError: Failed to swap to Float8Linear because float8 is", machine="a100",
        mend=('converters = ["float8"]', "converters = []"),
    ),
    "torchtitan: TP only": Case(
        files={
            "c.toml": (
                '[model]\nflavor = "8B"\n[training]\nseq_len = 8\nmixed_precision_param = ▸"bfloat16"\n'
                "[parallelism]\ndata_parallel_shard_degree = 1\ntensor_parallel_degree = 8\n"
            ),
        },
        rule="setting-has-no-effect", says="silent: it takes effect through fu", severity="warning",
        mend=("data_parallel_shard_degree = 1", "data_parallel_shard_degree = 2"),
    ),
    "torchtitan: slip": Case(
        files={
            "c.toml": '[model]\nflavor = "8B"\n[training]\nseq_len = 8\nmixed_precison_param = ▸"bfloat16"\n',
        },
        rule="unknown-key", says="silent: it is ignored, and the default stays", severity="warning",
        mend=("precison", "precision"),
    ),
}  # fmt: skip
