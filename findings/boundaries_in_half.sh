#!/usr/bin/env bash
# torch 2.13.0: bucketize compares in the boundaries' dtype, whatever the numbers are.
# Guessed: as numbers. The int64 2049 is above the float16 boundary 2048, and is put below it.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 <<'END'
import torch

number, boundaries = torch.tensor([2049]), torch.tensor([2048.0, 2050.0], dtype=torch.float16)
print((number > boundaries[:1].double()).item(), torch.bucketize(number, boundaries).item())
print(torch.bucketize(number, boundaries.double()).item())
#> True 0
#> 1
END
