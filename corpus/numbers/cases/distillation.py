"""The divergence between a teacher and a student that is nearly alike, from bfloat16 log-probabilities."""
import torch

torch.manual_seed(0)
teacher = torch.randn(32, 500).bfloat16()
student = (teacher.float() + 0.02 * torch.randn(32, 500)).bfloat16()
log_p, log_q = teacher.log_softmax(-1), student.log_softmax(-1)
divergence = (log_p.exp() * (log_p - log_q)).sum(-1).mean()  # fault: cancellation


def harm():
    p, q = teacher.double().log_softmax(-1), student.double().log_softmax(-1)
    right = (p.exp() * (p - q)).sum(-1).mean().item()
    return abs(float(divergence) / right - 1)

# right:
#- log_p, log_q = teacher.log_softmax(-1), student.log_softmax(-1)
#+ log_p, log_q = teacher.float().log_softmax(-1), student.float().log_softmax(-1)
