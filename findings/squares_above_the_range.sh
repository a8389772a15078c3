#!/usr/bin/env bash
# torch 2.13.0, CPU: of functions that square float16 numbers, some survive a sum of squares above 65504.
# Guessed: none or all of them. The deviation of 300 and -300 is 424, their variance inf, and mse_loss of 300 is inf.
# Of numbers whose squares sum to 160000 the cosine with themselves is 1; of numbers whose norm is 80000 it is 0, and
# normalize makes zeros of them.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 <<'END'
import torch
from torch.nn import functional

far, large = torch.tensor([300.0, -300.0], dtype=torch.float16), torch.full((1, 4), 40000.0, dtype=torch.float16)
print(far.std().item(), far.var().item(), functional.mse_loss(far, 0 * far).item())
print(functional.cosine_similarity(large / 200, large / 200).item(), functional.normalize(large / 200).tolist())
print(functional.cosine_similarity(large, large).item(), functional.normalize(large).tolist())
#> 424.25 inf inf
#> 1.0 [[0.5, 0.5, 0.5, 0.5]]
#> 0.0 [[0.0, 0.0, 0.0, 0.0]]
END
