"""Two voices in int16 are mixed by a sum: loud passages wrap to the other sign."""
import torch

torch.manual_seed(0)
voices = (torch.randn(2, 400) * 12000).clamp(-30000, 30000).to(torch.int16)
mix = voices[0] + voices[1]  # fault: wrap
peak = mix.float().abs().max()


def harm():
    return (mix.long() - (voices[0].long() + voices[1].long())).abs().max().item()

# right:
#- mix = voices[0] + voices[1]
#+ mix = voices[0].int() + voices[1].int()
