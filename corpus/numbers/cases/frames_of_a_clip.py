"""Which frames of a clip to take: linspace in float16 over 9,000 frames takes multiples of 8."""
import torch


def sample_frames(total, wanted, device="cpu", dtype=torch.float16):
    picks = torch.linspace(0, total - 1, wanted, device=device, dtype=dtype)  # fault: index-in-half
    return picks.round().long().clamp(0, total - 1)


picks = sample_frames(9001, 301)


def harm():
    exact = torch.linspace(0, 9000, 301, dtype=torch.float64).round().long()
    return (picks != exact).float().mean().item()

# right:
#- picks = sample_frames(9001, 301)
#+ picks = sample_frames(9001, 301, dtype=torch.float32)
