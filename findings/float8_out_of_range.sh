#!/usr/bin/env bash
# torch 2.13.0 and ml_dtypes 0.6.0: the same float8 format, another answer to what it cannot hold.
# Guessed: both cut off at the largest number, or both give NaN. torch makes 448 of 1000 and of inf in float8_e4m3fn,
# ml_dtypes NaN of both; a checkpoint quantized with NumPy has NaN where torch has 448. In e4m3fnuz torch gives NaN,
# too; in e8m0fnu, which has no sign, torch makes 4 of -3, ml_dtypes NaN.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 ml_dtypes==0.6.0 <<'END'
import ml_dtypes
import numpy as np
import torch

values = np.array([1000.0, np.inf, -3.0], dtype=np.float32)
for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e8m0fnu"):
    in_torch = torch.from_numpy(values).to(getattr(torch, name)).float().tolist()
    in_numpy = values.astype(getattr(ml_dtypes, name)).astype(np.float32).tolist()
    print(name, in_torch, in_numpy)
#> float8_e4m3fn [448.0, 448.0, -3.0] [nan, nan, -3.0]
#> float8_e5m2 [1024.0, inf, -3.0] [1024.0, inf, -3.0]
#> float8_e4m3fnuz [nan, nan, -3.0] [nan, nan, -3.0]
#> float8_e8m0fnu [1024.0, nan, 4.0] [1024.0, nan, nan]
END
