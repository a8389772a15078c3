"""SI-SDR of separated voices in float16: where a voice is silent the eps of 1e-8 that should hold the ratio is 0."""
import torch


def si_sdr(estimate, target, eps=1e-8):
    energy = target.square().mean(-1, keepdim=True) + eps  # fault: eps-vanishes
    scale = (estimate * target).mean(-1, keepdim=True) / energy
    projected = scale * target
    noise = estimate - projected
    ratio = (projected.float().square().sum(-1) + 1e-8) / (noise.float().square().sum(-1) + 1e-8)
    return 10 * torch.log10(ratio)


torch.manual_seed(0)
voices = 0.3 * torch.randn(8, 2, 400)
voices[::4, 1] = 0.0
estimates = voices + 0.02 * torch.randn(8, 2, 400)
score = si_sdr(estimates.half(), voices.half())


def harm():
    return score.isnan().float().mean().item()

# right:
#- score = si_sdr(estimates.half(), voices.half())
#+ score = si_sdr(estimates.half().float(), voices.half().float())
