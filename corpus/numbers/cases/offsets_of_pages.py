"""Slots of a paged cache, block * size + offset, in int16: block 2048 and on are negative."""
import torch


class Pages:
    def __init__(self, size):
        self.size = size

    def slots(self, table, places):
        blocks = table[places // self.size]
        return blocks * self.size + (places % self.size).to(blocks.dtype)  # fault: wrap


table = (torch.arange(40) * 97 % 4000).to(torch.int16)
pages = Pages(16)
slots = pages.slots(table, torch.arange(640))


def harm():
    exact = table.long()[torch.arange(640) // 16] * 16 + torch.arange(640) % 16
    return (slots.long() != exact).float().mean().item()

# right:
#- table = (torch.arange(40) * 97 % 4000).to(torch.int16)
#+ table = (torch.arange(40) * 97 % 4000).to(torch.int64)
