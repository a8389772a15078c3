#!/usr/bin/env bash
# torch 2.13.0: a comparison with Python's number rounds the number to the tensor's dtype, or wraps it.
# Guessed: compared as numbers. 65504 is not below 65505 in float16 (it is below 65520), 44 equals 300 in uint8, and a
# bfloat16 tensor of 0.1 equals 0.1, though its item() does not, nor does it equal a float32 tensor of one element.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 <<'END'
import torch

most = torch.tensor([65504.0], dtype=torch.float16)
print((most < 65505).item(), (most < 65520).item())
print((torch.tensor([44], dtype=torch.uint8) == 300).item())
tenth = torch.tensor([0.1], dtype=torch.bfloat16)
print((tenth == 0.1).item(), tenth.item() == 0.1, (tenth == torch.tensor([0.1])).item())
#> False True
#> True
#> True False False
END
