"""Frames of bfloat16 audio are multiplied by torch.hann_window, which is float32 by default."""
import torch


def frames(audio, size=128, hop=64):
    cut = audio.unfold(-1, size, hop)
    return cut * torch.hann_window(size, device=audio.device)  # fault: widening


torch.manual_seed(0)
audio = torch.randn(4, 4096).to(torch.bfloat16)
windowed = frames(audio)
energy = windowed.square().mean(-1)


def harm():
    return windowed.nbytes / (windowed.numel() * 2) - 1

# right:
#-     return cut * torch.hann_window(size, device=audio.device)
#+     return cut * torch.hann_window(size, device=audio.device, dtype=audio.dtype)
