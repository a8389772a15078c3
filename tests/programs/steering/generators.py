# machine: v100
# real: cpu
import random

import numpy as np
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
random.seed(0), np.random.seed(0), torch.manual_seed(0), torch.cuda.manual_seed_all(0)
g = torch.Generator(device=dev).manual_seed(42)
noise = torch.randn(2, 3, generator=g, device=dev)
host = torch.Generator().manual_seed(1)
a, b = torch.rand(3, generator=host), torch.randperm(5, generator=host)
state = torch.get_rng_state()
x = torch.rand(2)
torch.set_rng_state(state)
assert torch.equal(torch.rand(2), x) and sorted(b.tolist()) == [0, 1, 2, 3, 4]
with torch.random.fork_rng():
    torch.manual_seed(3)
assert noise.device.type == dev and g.initial_seed() == 42
mask = torch.bernoulli(torch.full((3,), 0.5, device=dev), generator=g)
idx = torch.randint(0, 10, (4,), generator=g, device=dev)
torch.nn.init.normal_(torch.empty(2, 2), generator=host)
