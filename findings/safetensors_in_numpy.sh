#!/usr/bin/env bash
# safetensors 0.8.0: safetensors.numpy reads bfloat16 with ml_dtypes installed, and not float8.
# Guessed: all that ml_dtypes has. A float8 tensor ends in an AttributeError about NumPy, and complex128 cannot be saved, though
# complex64 can.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 safetensors==0.8.0 ml_dtypes==0.6.0 <<'END'
import torch
from safetensors.numpy import load_file
from safetensors.torch import save_file

for dtype in (torch.bfloat16, torch.float8_e4m3fn, torch.complex64, torch.complex128):
    try:
        save_file({"weight": torch.ones(2).to(dtype)}, "weight.safetensors")
        print(dtype, load_file("weight.safetensors")["weight"].dtype)
    except (AttributeError, KeyError) as error:
        print(dtype, type(error).__name__, error)
#> torch.bfloat16 bfloat16
#> torch.float8_e4m3fn AttributeError module 'numpy' has no attribute 'float8_e4m3fn'
#> torch.complex64 complex64
#> torch.complex128 KeyError torch.complex128
END
