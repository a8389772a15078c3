#!/usr/bin/env bash
# Seven optimizers, 500 steps of 0.001 on a bfloat16 weight of 1 whose gradient is always 1: in float32 it ends near
# 0.5.
# Guessed: those made for large models keep what rounding drops. Only the AdamW of torch-optimi 0.3.3 and the
# StableAdamW of pytorch_optimizer 4.1.0 do, which turn on Kahan summation where the weight is in half precision; with
# the others nothing moves, and nothing is said.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 torch-optimi==0.3.3 pytorch_optimizer==4.1.0 \
    lion-pytorch==0.2.5 schedulefree==1.4.1 <<'END'
import lion_pytorch
import optimi
import pytorch_optimizer
import schedulefree
import torch

for kind in (
    torch.optim.AdamW,
    torch.optim.Adafactor,
    lion_pytorch.Lion,
    schedulefree.AdamWScheduleFree,
    pytorch_optimizer.ADOPT,
    pytorch_optimizer.StableAdamW,
    optimi.AdamW,
):
    weight = torch.nn.Parameter(torch.ones(1, dtype=torch.bfloat16))
    optimizer = kind([weight], lr=1e-3)
    if hasattr(optimizer, "train"):
        optimizer.train()
    for _ in range(500):
        weight.grad = torch.ones_like(weight)
        optimizer.step()
    print(kind.__module__.partition(".")[0], kind.__name__, weight.item())
#> torch AdamW 1.0
#> torch Adafactor 1.0
#> lion_pytorch Lion 1.0
#> schedulefree AdamWScheduleFree 1.0
#> pytorch_optimizer ADOPT 1.0
#> pytorch_optimizer StableAdamW 0.5
#> optimi AdamW 0.5
END
