"""Contradictions of torch's own calls."""

from __future__ import annotations

from . import Case

CASES = {
    "torch: autocast to float32 on cpu disables itself": Case(
        files={"train.py": 'with torch.autocast("cpu", dtype=▸torch.float32):\n    y = model(x)\n'}, severity="warning",
        rule="float32-autocast-is-off", says="Disabling autocast", fix=("torch.float32", "torch.bfloat16"),
    ),
}  # fmt: skip
