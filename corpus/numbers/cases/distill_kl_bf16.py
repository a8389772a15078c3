"""The divergence between a student and a close teacher is computed in bfloat16: the small difference of log-probabilities is mostly rounding."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
hidden = torch.randn(64, 32).bfloat16()
teacher = nn.Linear(32, 1000)
student = nn.Linear(32, 1000)
with torch.no_grad():
    student.weight.copy_(teacher.weight + torch.randn(1000, 32) * 0.01)
    student.bias.copy_(teacher.bias)
teacher, student = teacher.bfloat16(), student.bfloat16()
with torch.no_grad():
    teacher_logits = teacher(hidden)
student_logits = student(hidden)
loss = F.kl_div(student_logits.log_softmax(-1), teacher_logits.softmax(-1), reduction="batchmean")  # fault: statistics-in-half
loss.backward()


def harm():
    log_q = student_logits.detach().double().log_softmax(-1)
    log_p = teacher_logits.double().log_softmax(-1)
    right = F.kl_div(log_q, log_p, reduction="batchmean", log_target=True).item()
    return abs(loss.item() - right) / right

# right:
#- loss = F.kl_div(student_logits.log_softmax(-1), teacher_logits.softmax(-1), reduction="batchmean")
#+ loss = F.kl_div(student_logits.float().log_softmax(-1), teacher_logits.float().softmax(-1), reduction="batchmean")
