"""softmax and then log in float16: improbable classes are infinitely improbable."""
import torch

torch.manual_seed(0)
logits = (torch.randn(16, 50) * 8).half()
chances = torch.softmax(logits, dim=-1)
surprise = -torch.log(chances).mean()  # fault: underflow


def harm():
    return float(surprise.isinf())

# right:
#- surprise = -torch.log(chances).mean()
#+ surprise = -torch.log_softmax(logits.float(), dim=-1).mean()
