"""The distillation loss between two similar models is computed on bfloat16 logits without a cast."""
import torch
import torch.nn.functional as F


def distillation_loss(student_logits, teacher_logits, temperature=2.0):
    student, teacher = student_logits / temperature, teacher_logits / temperature
    kl = F.kl_div(student.log_softmax(-1), teacher.softmax(-1), reduction="sum")  # fault: statistics-in-half
    return kl / len(student) * temperature ** 2


torch.manual_seed(0)
vocab = 8000
teacher_logits = (torch.randn(32, vocab) * 3).to(torch.bfloat16)
student_logits = (teacher_logits.float() + 0.05 * torch.randn(32, vocab)).to(torch.bfloat16)
loss = distillation_loss(student_logits, teacher_logits)


def harm():
    p = (teacher_logits.double() / 2).log_softmax(-1)
    q = (student_logits.double() / 2).log_softmax(-1)
    right = (p.exp() * (p - q)).sum(-1).mean().item() * 4
    return float(abs(loss.item() - right) / right)

# right:
#-     student, teacher = student_logits / temperature, teacher_logits / temperature
#+     student, teacher = student_logits.float() / temperature, teacher_logits.float() / temperature
