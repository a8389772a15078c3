#!/usr/bin/env bash
# torch 2.13.0, CPU: clip_grad_norm_ computes the norm of float16 gradients in float16.
# Guessed: in float32, as Adam computes its states. Above 65504 the norm is inf, and every gradient becomes 0, those
# of float32 parameters of the same call too. Nothing is raised: error_if_nonfinite is False.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 <<'END'
import torch

half = torch.nn.Parameter(torch.zeros(4, dtype=torch.float16))
full = torch.nn.Parameter(torch.zeros(1))
half.grad, full.grad = torch.full((4,), 40000.0, dtype=torch.float16), torch.ones(1)
print(torch.nn.utils.clip_grad_norm_([half, full], 1.0))
print(half.grad.tolist(), full.grad.tolist())
#> tensor(inf)
#> [0.0, 0.0, 0.0, 0.0] [0.0]
END
