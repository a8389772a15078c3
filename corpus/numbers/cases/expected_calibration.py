"""Expected calibration error: samples per bin are counted by index_add_ in bfloat16; a full bin stops at 256."""
import torch


def calibration(confidence, correct, bins=10, dtype=torch.bfloat16):
    which = (confidence * bins).long().clamp(max=bins - 1)
    count, hits = torch.zeros(bins, dtype=dtype), torch.zeros(bins)
    for chunk, ok in zip(which.split(50), correct.split(50)):
        count.index_add_(0, chunk, torch.ones(len(chunk), dtype=dtype))  # fault: accumulate-in-half
        hits.index_add_(0, chunk, ok.float())
    return hits / count.clamp_min(1)


torch.manual_seed(0)
confidence = torch.rand(8000).sqrt()
correct = torch.rand(8000) < confidence
accuracy = calibration(confidence, correct)


def harm():
    return (accuracy - calibration(confidence, correct, dtype=torch.float64)).abs().max().item()

# right:
#- def calibration(confidence, correct, bins=10, dtype=torch.bfloat16):
#+ def calibration(confidence, correct, bins=10, dtype=torch.int64):
