"""The KL of a student's distribution from a near teacher's is a sum of differences of bfloat16 logarithms."""
import torch

torch.manual_seed(0)
logits = torch.randn(64, 500) * 2
teacher = (logits + 0.02 * torch.randn(64, 500)).log_softmax(-1)
student = logits.log_softmax(-1)


def divergence(p, q):
    return (p.exp() * (p - q)).sum(-1).mean()  # fault: cancellation


kl = divergence(teacher.bfloat16(), student.bfloat16())


def harm():
    exact = divergence(teacher.double(), student.double())
    return abs(kl.double() / exact - 1).item()

# right:
#- kl = divergence(teacher.bfloat16(), student.bfloat16())
#+ kl = divergence(teacher, student)
