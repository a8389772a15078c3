"""F.kl_div of a student with its teacher in bfloat16: of a loss of 0.004 two digits are left, or none."""
import torch
import torch.nn.functional as F

torch.manual_seed(0)
logits = torch.randn(64, 4000) * 2
student = (logits + torch.randn(64, 4000) * 0.05).bfloat16()
teacher = logits.bfloat16()
loss = F.kl_div(student.log_softmax(-1), teacher.log_softmax(-1), reduction="batchmean", log_target=True)  # fault: statistics-in-half


def harm():
    s, t = student.double().log_softmax(-1), teacher.double().log_softmax(-1)
    exact = F.kl_div(s, t, reduction="batchmean", log_target=True)
    return abs(loss.item() / exact.item() - 1)

# right:
#- student = (logits + torch.randn(64, 4000) * 0.05).bfloat16()
#- teacher = logits.bfloat16()
#+ student = (logits + torch.randn(64, 4000) * 0.05)
#+ teacher = logits
