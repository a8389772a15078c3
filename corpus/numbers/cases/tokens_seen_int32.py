"""The number of tokens of a run, 4 million a step, is an int32 tensor: after 512 steps it is negative."""
import torch


class Progress:
    def __init__(self, dtype):
        self.tokens = torch.zeros((), dtype=dtype)

    def update(self, batch, seq):
        self.tokens += batch * seq  # fault: wrap


progress = Progress(torch.int32)
for step in range(600):
    progress.update(1024, 4096)


def harm():
    return abs(progress.tokens.item() / (600 * 1024 * 4096) - 1)

# right:
#- progress = Progress(torch.int32)
#+ progress = Progress(torch.int64)
