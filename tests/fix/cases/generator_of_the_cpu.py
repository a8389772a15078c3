# machine: v100
import torch

generator = torch.Generator().manual_seed(0)
noise = torch.randn(4, device="cuda", generator=generator)

# fixed:
#- generator = torch.Generator().manual_seed(0)
#+ generator = torch.Generator(device="cuda").manual_seed(0)
