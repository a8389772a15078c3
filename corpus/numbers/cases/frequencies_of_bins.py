"""The frequency of each bin is its number times the sampling rate, in float16, before it is divided."""
import torch


class Bands:
    def __init__(self, rate, size, dtype):
        bins = torch.arange(size // 2 + 1, dtype=dtype)
        self.hertz = bins * rate / size  # fault: overflow


bands = Bands(16000, 512, torch.float16)


def harm():
    return bands.hertz.isinf().float().mean().item()

# right:
#- bands = Bands(16000, 512, torch.float16)
#+ bands = Bands(16000, 512, torch.float32)
