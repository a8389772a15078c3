# machine: a100
import torch

generator = torch.Generator().manual_seed(0)
here = torch.randn(2, generator=generator).cuda()
there = torch.Generator(device="cuda").manual_seed(0)
noise = torch.randn(2, device="cuda", generator=there)
other = torch.randn(2, device="cuda", generator=generator)  # finding: operand-device-mismatch randn generator
# fixed: other = torch.randn(2, device="cuda", generator=there)
noise.normal_(generator=generator)  # finding: operand-device-mismatch normal_ generator
# fixed: noise.normal_(generator=there)
