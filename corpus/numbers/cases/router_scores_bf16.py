"""The routing scores are computed in float32 and cast back to bfloat16 before the top-k: experts tie."""
import torch
import torch.nn.functional as F


def route(hidden, weight, top=8):
    logits = F.linear(hidden.float(), weight.float())
    scores = torch.sqrt(F.softplus(logits)).to(hidden.dtype)  # fault: statistics-in-half
    chosen = scores.topk(top, dim=-1).indices
    gates = scores.float().gather(1, chosen)
    return chosen, (gates / gates.sum(dim=1, keepdim=True)).to(hidden.dtype)


torch.manual_seed(0)
hidden = torch.randn(2000, 64).bfloat16()
weight = (torch.randn(128, 64) / 8).bfloat16()
chosen, gates = route(hidden, weight)


def harm():
    logits = hidden.double() @ weight.double().T
    right = logits.topk(8, dim=-1).indices.sort(dim=1).values
    wrong = (chosen.sort(dim=1).values != right).any(dim=1).double().mean().item()
    return float(wrong)

# right:
#-     scores = torch.sqrt(F.softplus(logits)).to(hidden.dtype)
#+     scores = torch.sqrt(F.softplus(logits))
#-     gates = scores.float().gather(1, chosen)
#+     gates = scores.gather(1, chosen)
