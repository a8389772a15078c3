"""The mean of two frames is (a + b) / 2 of uint8: the sum wraps before the division."""
import torch


class Blend(torch.nn.Module):
    def forward(self, frames):
        first, second = frames
        return torch.add(first, second).div(2)  # fault: wrap


torch.manual_seed(0)
frames = torch.randint(0, 256, (2, 3, 12, 12), dtype=torch.uint8)
mixed = Blend()(frames)


def harm():
    return (mixed - frames.double().mean(0)).abs().mean().item() / 255

# right:
#- mixed = Blend()(frames)
#+ mixed = Blend()(frames.int())
