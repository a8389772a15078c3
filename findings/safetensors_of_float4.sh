#!/usr/bin/env bash
# safetensors 0.8.0 with torch 2.13.0: a float4 tensor has two shapes.
# Guessed: the header has torch's shape, or get_slice has it. A torch tensor of float4_e2m1fn_x2 holds two numbers in
# an element: (2, 4) is saved as F4 of [2, 8], get_slice says [2, 8], and what is loaded is (2, 4) again. Counting
# parameters by the header counts twice what `numel` counts.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 safetensors==0.8.0 <<'END'
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

weight = torch.zeros(2, 4, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
save_file({"weight": weight}, "packed.safetensors")
with safe_open("packed.safetensors", "pt") as file:
    part = file.get_slice("weight")
    loaded = load_file("packed.safetensors")["weight"]
    print(tuple(weight.shape), part.get_dtype(), part.get_shape(), tuple(loaded.shape))
#> (2, 4) F4 [2, 8] (2, 4)
END
