"""Durations of phonemes are summed up in float16: their ends, behind 2048, are even frames only."""
import torch

torch.manual_seed(0)
durations = torch.randint(3, 20, (600,))
ends = durations.half().cumsum(0)  # fault: index-in-half
frames = ends.long()


def harm():
    return (frames != durations.cumsum(0)).float().mean().item()

# right:
#- ends = durations.half().cumsum(0)
#+ ends = durations.cumsum(0)
