"""Numbers of frames times 0.02 seconds in float16, to cut words out of an hour of speech: off by a second."""
import torch


def spans(starts, ends, hop, like):
    frames = torch.stack([starts, ends], 1).to(like.dtype)  # fault: index-in-half
    return frames * hop


torch.manual_seed(0)
features = torch.randn(10, 80, dtype=torch.float16)
starts = torch.arange(20001, 60000, 1711)
ends = starts + 37
times = spans(starts, ends, 0.02, features)


def harm():
    long = (times[:, 1] - times[:, 0]).double()
    return (long / 0.74 - 1).abs().max().item()

# right:
#-     frames = torch.stack([starts, ends], 1).to(like.dtype)
#+     frames = torch.stack([starts, ends], 1).double()
