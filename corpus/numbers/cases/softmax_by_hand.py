"""exp without subtracting the maximum in float16: exp(12) is above 65504."""
import torch

logits = torch.tensor([[1.0, 12.5, 3.0], [0.1, 0.2, 0.3]]).half()
powers = logits.exp()  # fault: overflow
shares = powers / powers.sum(-1, keepdim=True)


def harm():
    return float(shares.isnan().sum())

# right:
#- powers = logits.exp()
#+ powers = (logits - logits.max()).exp()
