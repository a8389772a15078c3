#!/usr/bin/env bash
# torch 2.13.0: module.to(torch.float16) drops the imaginary part of complex parameters; module.half() leaves them.
# Guessed: both do the same, as `half` is documented as the cast of floating point parameters. `.to(torch.float64)`
# makes complex64 float64, too, with a warning that is shown once. Fourier layers lose their phases.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 <<'END'
import torch


class Spectral(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([1 + 2j]))


print(Spectral().half().weight.dtype, Spectral().double().weight.dtype)
print(Spectral().to(torch.float16).weight.tolist(), Spectral().to(torch.float64).weight.tolist())
#> torch.complex64 torch.complex64
#> [1.0] [1.0]
END
