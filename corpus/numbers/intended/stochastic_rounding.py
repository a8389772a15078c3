"""bfloat16 weights, rounded at random: on average they move as they should."""
import torch

torch.manual_seed(0)
weight = torch.randn(64, 64).bfloat16()
for _ in range(20):
    wide = weight.float() - 1e-4 * torch.randn(64, 64)
    bits = wide.view(torch.int32) + torch.randint(0, 1 << 16, wide.shape, dtype=torch.int32)
    weight.copy_((bits & -65536).view(torch.float32))
