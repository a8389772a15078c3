"""A running sum of attention's denominators over 2,000 blocks in float16, block by block, as online softmax keeps it."""
import torch


class Online:
    def __init__(self, rows, dtype):
        self.below = torch.zeros(rows, dtype=dtype)

    def take(self, block):
        self.below = self.below + block.exp().sum(-1).to(self.below.dtype)  # fault: accumulate-in-half


torch.manual_seed(0)
scores = torch.rand(3, 4000, 1) * 0.2
online = Online(3, torch.float16)
for n in range(4000):
    online.take(scores[:, n])


def harm():
    exact = scores.double().exp().sum((1, 2))
    return (online.below.double() / exact - 1).abs().max().item()

# right:
#- online = Online(3, torch.float16)
#+ online = Online(3, torch.float32)
