"""Where packed sequences end is summed up in int16: past 32767 the ends are negative."""
import torch


class Packer:
    def __init__(self, dtype):
        self.dtype = dtype

    def ends(self, lengths):
        return lengths.cumsum(0, dtype=self.dtype)  # fault: wrap


torch.manual_seed(0)
lengths = torch.randint(300, 900, (96,))
ends = Packer(torch.int16).ends(lengths)


def harm():
    return (ends < 0).float().mean().item()

# right:
#- ends = Packer(torch.int16).ends(lengths)
#+ ends = Packer(torch.int32).ends(lengths)
