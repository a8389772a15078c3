"""A preference loss (DPO): log-probabilities of answers of 600 words are bfloat16 sums near -4000."""
import torch
import torch.nn.functional as F


def answer_logps(logits, labels, mask):
    logps = torch.gather(logits.log_softmax(-1), 2, labels.unsqueeze(2)).squeeze(2)
    return (logps * mask).sum(-1)


def dpo_loss(policy, reference, beta=0.1):
    pi_logratios = policy[0] - policy[1]  # fault: cancellation
    ref_logratios = reference[0] - reference[1]
    logits = pi_logratios - ref_logratios
    return -F.logsigmoid(beta * logits)


torch.manual_seed(0)
dtype = torch.bfloat16
base = torch.randn(2, 600, 500)
shift = torch.randn(2, 600, 500) * 0.05
labels = torch.randint(0, 500, (2, 600))
mask = torch.ones(2, 600)
policy = answer_logps((base + shift).to(dtype), labels, mask.to(dtype))
reference = answer_logps(base.to(dtype), labels, mask.to(dtype))
loss = dpo_loss(policy, reference)


def harm():
    p = answer_logps((base + shift).double(), labels, mask.double())
    r = answer_logps(base.double(), labels, mask.double())
    return abs(loss.item() / dpo_loss(p, r).item() - 1)

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float32
