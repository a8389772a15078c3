"""A float32 class token before bfloat16 patches: cat makes all of them float32."""
import torch

torch.manual_seed(0)
patches = torch.randn(2, 196, 64).bfloat16()
token = torch.zeros(1, 1, 64)
sequence = torch.cat([token.expand(2, -1, -1), patches], 1)  # fault: widening
hidden = torch.nn.functional.layer_norm(sequence, (64,))


def harm():
    return hidden.nbytes / (2 * 197 * 64 * 2) - 1

# right:
#- token = torch.zeros(1, 1, 64)
#+ token = torch.zeros(1, 1, 64, dtype=torch.bfloat16)
