"""A sound with an offset of 40 is normalised by std in bfloat16: the samples lost their digits before."""
import torch


class Normalise(torch.nn.Module):
    def forward(self, wave):
        mean = wave.mean(-1, keepdim=True)
        centred = wave - mean  # fault: cancellation
        return centred / centred.square().mean(-1, keepdim=True).sqrt()


torch.manual_seed(0)
wave = torch.randn(2, 4000) * 0.1 + 40
levelled = Normalise()(wave.bfloat16())


def harm():
    return (levelled.double() - Normalise()(wave.double())).square().mean().sqrt().item()

# right:
#- levelled = Normalise()(wave.bfloat16())
#+ levelled = Normalise()(wave)
