"""Contradictions in notebooks, and in the shell blocks of pages."""

from __future__ import annotations

from . import Case

CASES = {
    "markdown: a command of a page": Case(
        files={"README.md": "# A\n\n1. one\n   ```console\n   $ vllm serve m --dtype ▸fp16\n   ```\n"},
        rule="rejected-value", says="invalid choice: 'fp16'", fix=("fp16", "half"),
    ),
    "markdown: a command and the file that it names": Case(
        files={"README.md": "```sh\naccelerate launch --config_file a.yaml train.py --output_dir o --max_steps 1 \\\n"
               "  --bf16 --deepspeed ds.json\n```\n", "a.yaml": "distributed_type: DEEPSPEED\nnum_processes: 2\n"
               "mixed_precision: ▸bf16\n",
               "ds.json": '{"fp16": {"enabled": true}, "zero_optimization": {"stage": 2}}', "b.json": "{}"},
        rule="engine-contradicts-launcher", says="`--mixed_precision` arg cannot be set to `bf16`",
        fix=('"enabled": true', '"enabled": "auto"'), also=("ds.json",),
    ),
    "notebook: a call": Case(
        files={"n.ipynb": '{"cells": [{"cell_type": "code", "source": ["%matplotlib inline\\n",\n'
               '"import lightning as L\\n",\n"for x in y:\\n",\n"    !ls\\n",\n"t = L.Trainer(precision=▸13)"]}]}'},
        rule="rejected-value", says="Precision 13 is invalid", fix=("=13", "=16"),
    ),
    "notebook: a command over two lines": Case(
        files={"n.ipynb": '{"cells": [{"cell_type": "code", "source": ["!accelerate launch \\\\\\n",\n'
               '" train_network.py --network_module=n --mixed_precision ▸fp32"]}]}'},
        rule="rejected-value", says="invalid choice: 'fp32'", fix=("fp32", "bf16"),
    ),
    "notebook: a cell of the shell's": Case(
        files={"n.ipynb": '{"cells": [{"cell_type": "code", "source": ["%%bash\\n",\n"vllm serve m --dtype ▸fp16"]}]}'},
        rule="rejected-value", says="invalid choice: 'fp16'", fix=("fp16", "half"),
    ),
}  # fmt: skip
