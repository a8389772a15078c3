"""Rewards of a group are 900 and a little, in bfloat16; their mean is taken off, and they are divided by their spread."""
import torch


def advantages(rewards, groups, eps=1e-4):
    grouped = rewards.view(groups, -1)
    mean = grouped.mean(1, keepdim=True)
    spread = grouped.std(1, keepdim=True)
    return ((grouped - mean) / (spread + eps)).flatten()  # fault: cancellation


class Reward(torch.nn.Module):
    def forward(self, lengths):
        return lengths * 0.5 + 900.0


torch.manual_seed(0)
lengths = torch.rand(64) * 6
dtype = torch.bfloat16
found = advantages(Reward()(lengths.to(dtype)), 8)


def harm():
    exact = advantages(lengths.double() * 0.5 + 900, 8)
    return ((found.double() - exact).norm() / exact.norm()).item()

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float32
