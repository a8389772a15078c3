#!/usr/bin/env bash
# torch 2.13.0: flex_attention takes query, key and value of several dtypes where it runs eagerly, and compiled for the
# CPU it refuses them.
# Guessed: both raise, as scaled_dot_product_attention does. A model that was tried eagerly first fails once it is
# compiled; eagerly it gives the query's dtype. Needs a C++ compiler.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 <<'END'
import torch
from torch.nn.attention.flex_attention import flex_attention
from torch.nn.functional import scaled_dot_product_attention

wide, half = torch.randn(1, 1, 16, 16), torch.randn(1, 1, 16, 16, dtype=torch.float16)
print(flex_attention(wide, half, half).dtype, flex_attention(half, wide, wide).dtype)
#> torch.float32 torch.float16
for attention in (scaled_dot_product_attention, torch.compile(flex_attention)):
    try:
        attention(wide, half, half)
    except Exception as error:
        print("same dtype" in str(error), "Mixed query, key, and value dtype is not supported" in str(error))
#> True False
#> False True
END
