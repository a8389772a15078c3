#!/usr/bin/env bash
# torch 2.13.0, CPU (needs a C++ compiler): under torch.compile a cast to half precision and back rounds nothing, and a
# value beyond float16's range does not become infinite, unless emulate_precision_casts is set.
# Guessed: the same numbers as in eager mode up to a last bit, and inf in both. Inductor keeps float32 between fused ops.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 setuptools==82.0.1 <<'END'
import torch
import torch._inductor.config as inductor

x = torch.linspace(0.1, 1, 64)
small = torch.full((64,), 0.5, dtype=torch.bfloat16)
functions = {
    "x - x.bfloat16().float()": lambda: (x - x.bfloat16().float()).abs().max() > 0,
    "(x * 1e5).half().float()": lambda: (x * 1e5).half().float().max().isinf(),
    "bfloat16: (0.5 + 256) - 256": lambda: ((small + 256) - 256).max(),
}
for emulate in (False, True):
    inductor.emulate_precision_casts = emulate
    torch._dynamo.reset()
    for name, function in functions.items():
        print(f"{name}: eager {function().item()}, compiled {torch.compile(function)().item()}")
#> x - x.bfloat16().float(): eager True, compiled False
#> (x * 1e5).half().float(): eager True, compiled False
#> bfloat16: (0.5 + 256) - 256: eager 0.0, compiled 0.5
#> x - x.bfloat16().float(): eager True, compiled True
#> (x * 1e5).half().float(): eager True, compiled True
#> bfloat16: (0.5 + 256) - 256: eager 0.0, compiled 0.0
END
