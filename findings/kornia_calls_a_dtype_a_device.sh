#!/usr/bin/env bash
# kornia 0.8.2 with torch 2.13.0: rotating a float16 image by an angle in float32 fails with "Inputs must have same
# device", and both are on the CPU.
# Guessed: either the angle is cast to the image's dtype, or the message names the dtypes. The check of both is one
# `if`, with the text of the first.
exec "$(dirname "$0")/compare" kornia==0.8.2 torch==2.13.0 numpy==2.4.6 <<'END'
import kornia
import torch

angle = torch.tensor([30.0])
for dtype in (torch.float32, torch.float16, torch.float64):
    try:
        print(kornia.geometry.rotate(torch.rand(1, 3, 8, 8, dtype=dtype), angle).dtype)
    except ValueError as error:
        print(" ".join(str(error).split()[:5]), "|", *sorted({word.strip("(,") for word in str(error).split() if "cpu" in word}))
#> torch.float32
#> Inputs must have same device | cpu
#> Inputs must have same device | cpu
END
