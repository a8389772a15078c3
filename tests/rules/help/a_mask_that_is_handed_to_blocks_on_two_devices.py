# machine: 2xa100
# help: move `mask` at a_mask_that_is_handed_to_blocks_on_two_devices.py:16: .to(self.norm.weight.device)
# or: move `torch.triu(torch.full((4, 4), float("-inf"), device=x.devic…` at a_mask_that_is_handed_to_blocks_on_two_devices.py:23: .to(x.device)
import torch
from torch import nn

DEVICES = "cuda:0", "cuda:1"

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.attn = nn.MultiheadAttention(8, 2, batch_first=True)
    def forward(self, x, mask):
        h = self.norm(x)
        return x + self.attn(h, h, h, attn_mask=mask, need_weights=False)[0]

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block().to(device) for device in DEVICES)
    def forward(self, x):
        mask = torch.triu(torch.full((4, 4), float("-inf"), device=x.device), 1)
        for block in self.blocks:
            x = x.to(next(block.parameters()).device)
            x = block(x, mask)
        return x
Model()(torch.randn(2, 4, 8, device=DEVICES[0]))
