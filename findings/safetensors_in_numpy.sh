#!/usr/bin/env bash
# safetensors 0.8.0: safetensors.numpy reads bfloat16 only after somebody has imported ml_dtypes, and float8 never.
# Guessed: it asks ml_dtypes, which is installed. Without the import bfloat16 is a TypeError, float8 an AttributeError
# about NumPy in both cases. complex128 cannot be saved, complex64 can.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 safetensors==0.8.0 ml_dtypes==0.6.0 <<'END'
import torch
from safetensors.numpy import load_file
from safetensors.torch import save_file


def kept(dtype):
    try:
        save_file({"weight": torch.ones(2).to(dtype)}, "weight.safetensors")
        print(dtype, load_file("weight.safetensors")["weight"].dtype)
    except (AttributeError, KeyError, TypeError) as error:
        print(dtype, type(error).__name__, error)


kept(torch.bfloat16)
import ml_dtypes  # noqa: E402, F401

for dtype in (torch.bfloat16, torch.float8_e4m3fn, torch.complex64, torch.complex128):
    kept(dtype)
#> torch.bfloat16 TypeError data type 'bfloat16' not understood
#> torch.bfloat16 bfloat16
#> torch.float8_e4m3fn AttributeError module 'numpy' has no attribute 'float8_e4m3fn'
#> torch.complex64 complex64
#> torch.complex128 KeyError torch.complex128
END
