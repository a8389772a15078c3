"""The floor of 1e-10 under a float16 mel spectrogram is 0: digital silence becomes -inf and the normalised features NaN."""
import torch

torch.manual_seed(0)
audio = torch.randn(8000)
audio[3000:5000] = 0  # digital silence
window = torch.hann_window(400)
spectrum = torch.stft(audio, 400, 160, window=window, return_complex=True)
power = spectrum.abs().square() / 400
bank = torch.rand(40, power.shape[0]) / power.shape[0]
mel = (bank @ power).half()
log_mel = mel.clamp(min=1e-10).log10()  # fault: eps-vanishes
log_mel = log_mel.float()
features = ((log_mel - log_mel.mean()) / log_mel.std()).half()


def harm():
    right = mel.double().clamp(min=1e-10).log10()
    right = (right - right.mean()) / right.std()
    return ((features.double() - right).norm() / right.norm()).item()

# right:
#- log_mel = mel.clamp(min=1e-10).log10()
#+ log_mel = mel.float().clamp(min=1e-10).log10()
