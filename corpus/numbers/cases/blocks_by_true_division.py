"""The block of a token in a corpus of billions, by `/` and floor: the division makes float32 of the int64 offsets."""
import torch


class Blocks(torch.utils.data.Dataset):
    def __init__(self, tokens, block):
        self.starts = torch.arange(0, tokens, block * 1024)
        self.block = block

    def locate(self, offsets):
        block = (offsets / self.block).floor().long()  # fault: rounding-of-integers
        return block, offsets - block * self.block

    def __len__(self):
        return len(self.starts)


torch.manual_seed(0)
corpus = Blocks(tokens=6_000_000_000, block=1024)
offsets = torch.randint(6_000_000_000, (4000,))
block, within = corpus.locate(offsets)


def harm():
    return ((within < 0) | (within >= 1024)).float().mean().item()

# right:
#-         block = (offsets / self.block).floor().long()
#+         block = torch.div(offsets, self.block, rounding_mode="floor")
