"""Contradictions of torchtitan."""

from __future__ import annotations

from . import Case

CASES = {
    "torchtitan: reduction in bfloat16 as an option": Case(
        files={"r.sh": "torchrun --nproc_per_node=8 -m torchtitan.train --module llama3 --config llama3_8b "
                       "--training.mixed_precision_reduce ▸bfloat16\n"},
        rule="rejected-value", says="tyro: 'bfloat16' is not one of 'float32'", fix=("bfloat16", "float32"),
    ),
    "torchtitan: float16 as an option": Case(
        files={"r.sh": "torchrun -m torchtitan.train --job.config_file c.toml --training.mixed_precision_param ▸float16\n"},
        rule="rejected-value", says="tyro: 'float16' is not one of 'bfloat16', 'float32'", fix=("float16", "bfloat16"),
    ),
    "torchtitan: float16 weights as an option": Case(
        files={"r.sh": "torchrun -m torchtitan.train --module llama3 --config llama3_8b --training.dtype ▸float16\n"},
        rule="rejected-value", says="tyro: 'float16' is not one of 'bfloat16', 'float32'", fix=("float16", "bfloat16"),
    ),
    "torchtitan: float16 weights in code": Case(
        files={"c.py": "from torchtitan.config import TrainingConfig\n"
                       'training = TrainingConfig(seq_len=8, dtype=▸"float16")\n'},
        rule="float16-without-loss-scaling", says="gradients underflow", severity="warning",
        fix=('"float16"', '"bfloat16"'),
    ),
    "torchtitan: float64 in a file": Case(
        files={"c.toml": '[model]\nflavor = "8B"\n[training]\nseq_len = 8\nmixed_precision_reduce = ▸"float64"\n'},
        # in a file, bfloat16 is taken, though the annotation has only float32
        rule="rejected-value", says="KeyError: 'float64'", fix=('"float64"', '"bfloat16"'),
    ),
    "torchtitan: float64 in a file for two GPUs": Case(
        files={"c.toml": '[model]\nflavor = "8B"\n[training]\nseq_len = 8\nmixed_precision_reduce = ▸"float64"\n'},
        machine="2xa100", rule="rejected-value", says="KeyError: 'float64'", fix=('"float64"', '"bfloat16"'),
    ),
    "torchtitan: float64 as an option": Case(
        files={"r.sh": "torchrun -m torchtitan.train --job.config_file c.toml --training.mixed_precision_reduce ▸float64\n"},
        machine="a100", rule="rejected-value", says="tyro rejects it", fix=("float64", "float32"),
    ),
    "torchtitan: the converter of 0.1 beside the section of 0.2": Case(
        files={"c.toml": '[model]\nflavor = "8B"\nconverters = [▸"float8"]\n[training]\nseq_len = 8\n'
                         "[quantize.linear.float8]\nemulate = true\n"},
        machine="h100", rule="rejected-value", says="KeyError: 'float8'",
        fix=('["float8"]', '["quantize.linear.float8"]'),
    ),
    "torchtitan: float16 in a file": Case(
        files={"c.toml": '[model]\nflavor = "8B"\n[training]\nseq_len = 8\nmixed_precision_param = ▸"float16"\n'},
        rule="float16-without-loss-scaling", says="gradients underflow", severity="warning",
        fix=('"float16"', '"bfloat16"'),
    ),
    "torchtitan: float64 in code": Case(
        files={"c.py": "from torchtitan.config import TrainingConfig\n"
                       'training = TrainingConfig(seq_len=8, dtype=▸"float64")\n'},
        rule="rejected-value", says="KeyError: 'float64'", fix=('"float64"', '"float32"'),
    ),
    "torchtitan: float8 on a100": Case(
        files={
            "c.toml": '[model]\nflavor = "8B"\nconverters = [▸"float8"]\n[training]\nseq_len = 8\n',
        },
        rule="fp8-not-available", says="ValueError: Failed to swap to Float8Linear because float8 is", machine="a100",
        fix=('converters = ["float8"]', "converters = []"),
    ),
    "torchtitan: TP only": Case(
        files={
            "c.toml": (
                '[model]\nflavor = "8B"\n[training]\nseq_len = 8\nmixed_precision_param = ▸"bfloat16"\n'
                "[parallelism]\ndata_parallel_shard_degree = 1\ntensor_parallel_degree = 8\n"
            ),
        },
        rule="setting-has-no-effect", says="silent: it acts through fu", severity="warning",
        fix=("data_parallel_shard_degree = 1", "data_parallel_shard_degree = 2"),
    ),
    "torchtitan: slip": Case(
        files={
            "c.toml": '[model]\nflavor = "8B"\n[training]\nseq_len = 8\nmixed_precison_param = ▸"bfloat16"\n',
        },
        rule="unknown-key", says="silent: it is ignored, and the default stays", severity="warning",
        fix=("precison", "precision"),
    ),
}  # fmt: skip
