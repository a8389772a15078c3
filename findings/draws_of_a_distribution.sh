#!/usr/bin/env bash
# torch 2.13.0: Normal.sample and Normal.rsample of the same distribution differ in dtype.
# Guessed: both have the promoted dtype of loc and scale. With a float16 mean and a float32 deviation sample is
# float16, rsample float32: the policy's action and the one that its gradient goes through are of two precisions.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 <<'END'
import torch

mean, deviation = torch.zeros(1, dtype=torch.float16), torch.ones(1)
for order in ((mean, deviation), (deviation - 1, (mean + 1))):
    normal = torch.distributions.Normal(*order)
    print(normal.sample().dtype, normal.rsample().dtype)
#> torch.float16 torch.float32
#> torch.float32 torch.float32
END
