"""torch.mul(x, x, out=buffer) into a float16 buffer: squares of a loud channel are infinite, its gain is 0."""
import torch

torch.manual_seed(0)
channels = torch.randn(8, 512)
channels[3] *= 500
buffer = torch.empty(8, 512, dtype=torch.float16)
torch.mul(channels, channels, out=buffer)  # fault: overflow
gain = buffer.float().mean(1).rsqrt()
levelled = channels * gain[:, None]


def harm():
    return (levelled.square().mean(1) - 1).abs().max().item()

# right:
#- buffer = torch.empty(8, 512, dtype=torch.float16)
#+ buffer = torch.empty(8, 512, dtype=torch.float32)
