"""Per-channel energy normalisation divides by (1e-8 + smoothed energy) ** 0.98 in float16: digital silence is 0 / 0."""
import torch
from torch import nn


class PCEN(nn.Module):
    def __init__(self, bands, s=0.04, alpha=0.98, delta=2.0, r=0.5):
        super().__init__()
        self.s, self.eps = s, 1e-8
        self.alpha = nn.Parameter(torch.full((bands,), alpha))
        self.delta, self.r = nn.Parameter(torch.full((bands,), delta)), r

    def forward(self, energy):  # (batch, frames, bands)
        smooth = [energy[:, 0]]
        for frame in energy.unbind(1)[1:]:
            smooth.append(torch.lerp(smooth[-1], frame, self.s))
        smooth = torch.stack(smooth, 1)
        gain = smooth.add(self.eps).pow(-self.alpha)  # fault: eps-vanishes
        return (energy * gain + self.delta).pow(self.r) - self.delta.pow(self.r)


torch.manual_seed(0)
mel = torch.rand(4, 60, 40)
mel[1:, :20] = 0.0
front = PCEN(40).half()
with torch.no_grad():
    out = front(mel.half())


def harm():
    return out.isnan().float().mean().item()

# right:
#- front = PCEN(40).half()
#+ front = PCEN(40)
#-     out = front(mel.half())
#+     out = front(mel.half().float()).half()
