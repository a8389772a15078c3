#!/usr/bin/env bash
# bitsandbytes 0.50.2: `.half()` on a quantized layer converts its packed codes if they are stored as bfloat16.
# Guessed: a layer of 4 bits keeps its codes, as it does with the default storage of uint8. quant_storage=bfloat16 is
# what FSDP needs, and there every code is read as a number and rounded: no error, other weights.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 bitsandbytes==0.50.2 <<'END'
import torch
from bitsandbytes.nn import Linear4bit

for storage in (torch.uint8, torch.bfloat16):
    torch.manual_seed(0)
    x = torch.randn(4, 64)
    layer = Linear4bit(64, 64, bias=False, compute_dtype=torch.float32, quant_type="nf4", quant_storage=storage)
    layer = layer.to("cpu")
    before, codes = layer(x), layer.weight.data.view(torch.uint8).clone()
    layer.half()
    kept = (layer.weight.data.view(torch.uint8) == codes).float().mean()
    moved = (layer(x) - before).norm() / before.norm()
    print(storage, "codes kept:", "all" if kept == 1 else "few", "- outputs:", "same" if moved == 0 else "others")
#> torch.uint8 codes kept: all - outputs: same
#> torch.bfloat16 codes kept: few - outputs: others
END
