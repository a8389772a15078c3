"""The level of quiet speech is computed in float16: squares of 10^-4 are 0 and the speech is taken for silence."""
import torch


def level_db(frames):
    rms = frames.pow(2).mean(dim=-1).sqrt()  # fault: underflow
    return 20 * torch.log10(rms.clamp(min=1e-5))


def drop_silence(waveform, frame=400, threshold_db=-90.0):
    frames = waveform.unfold(-1, frame, frame)
    level = level_db(frames)
    return frames[level > threshold_db], level


torch.manual_seed(0)
loud = 0.1 * torch.randn(8000)
quiet = 1e-4 * torch.randn(8000)  # about -80 dB, still speech
waveform = torch.cat([loud, quiet]).half()
speech, level = drop_silence(waveform)


def harm():
    right = 20 * waveform.double().unfold(-1, 400, 400).square().mean(-1).sqrt().log10()
    return float((level.double() - right).abs().max().item())

# right:
#-     rms = frames.pow(2).mean(dim=-1).sqrt()
#+     rms = frames.float().pow(2).mean(dim=-1).sqrt()
