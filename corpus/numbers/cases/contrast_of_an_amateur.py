"""Contrastive decoding subtracts an amateur's log probabilities; both forbid the same tokens, and -inf less -inf is chosen."""
import torch


def forbid(logits, tokens):
    return logits.index_fill(-1, tokens, -torch.inf)


def next_token(expert, amateur, banned, strength=0.5, floor=0.05):
    expert = forbid(expert, banned).float().log_softmax(-1)
    amateur = forbid(amateur, banned).float().log_softmax(-1)
    likely = expert >= expert.amax(-1, keepdim=True) + torch.log(torch.tensor(floor))
    score = (1 + strength) * expert - strength * amateur  # fault: nan-mask
    return (score - 1e4 * ~likely).argmax(-1)


torch.manual_seed(0)
expert, amateur = 3 * torch.randn(64, 200).bfloat16(), 2 * torch.randn(64, 200).bfloat16()
banned = torch.tensor([3, 17, 101])
token = next_token(expert, amateur, banned)


def harm():
    return torch.isin(token, banned).float().mean().item()

# right:
#-     return (score - 1e4 * ~likely).argmax(-1)
#+     return score.masked_fill(~likely, -torch.inf).argmax(-1)
