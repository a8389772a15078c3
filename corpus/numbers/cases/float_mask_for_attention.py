"""A float32 mask of zeros and -1e4 is added to bfloat16 scores, as old BERT code does: softmax and values are float32."""
import torch


def extended(mask):
    return (1.0 - mask[:, None, None, :].float()) * -10000.0


def attend(q, k, v, bias):
    scores = torch.matmul(q, k.transpose(-1, -2)) / q.shape[-1] ** 0.5
    scores = scores + bias  # fault: widening
    return scores.softmax(-1)


torch.manual_seed(0)
q, k, v = torch.randn(3, 2, 4, 32, 16).bfloat16()
mask = torch.ones(2, 32, dtype=torch.long)
mask[1, 20:] = 0
weights = attend(q, k, v, extended(mask))


def harm():
    return weights.nbytes / (2 * 4 * 32 * 32 * 2) - 1

# right:
#- weights = attend(q, k, v, extended(mask))
#+ weights = attend(q, k, v, extended(mask).bfloat16())
