# machine: a100
"""Speech to letters: spectrograms, convolutions and a GRU in half precision, CTC in float32."""

import torch
import torch.nn as nn
import torch.nn.functional as F

LETTERS = 12
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Spectrogram(nn.Module):
    def __init__(self, bins=32, mels=8):
        super().__init__()
        self.bins = bins
        self.register_buffer("window", torch.hann_window(bins))
        self.register_buffer("filters", torch.rand(bins // 2 + 1, mels))

    def forward(self, waves):
        spectrum = torch.stft(waves, self.bins, hop_length=16, window=self.window, return_complex=True)
        power = spectrum.abs().pow(2).transpose(1, 2)
        return torch.log(power @ self.filters + 1e-5)


class Recognizer(nn.Module):
    def __init__(self, mels=8, width=16):
        super().__init__()
        self.conv = nn.Conv1d(mels, width, 3, padding=1)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, LETTERS)

    def forward(self, features):
        hidden = F.gelu(self.conv(features.transpose(1, 2))).transpose(1, 2)
        return self.out(self.rnn(hidden)[0])


def make_batch(count=3, samples=400):
    time = torch.arange(samples) / 100
    pitch = torch.rand(count, 1) * 5 + 1
    waves = torch.sin(pitch * time)
    targets = torch.randint(1, LETTERS, (count, 5))
    return waves.to(device), targets.to(device)


def main():
    torch.manual_seed(0)
    frontend = Spectrogram().to(device)
    model = Recognizer().to(device).to(torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(2):
        waves, targets = make_batch()
        features = frontend(waves).to(torch.bfloat16)
        logp = model(features).float().log_softmax(-1).transpose(0, 1)
        frames = torch.full((logp.shape[1],), logp.shape[0], dtype=torch.long)
        lengths = torch.full((logp.shape[1],), 5, dtype=torch.long)
        loss = F.ctc_loss(logp, targets, frames, lengths)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.3f}")
    print(f"energy {features.float().mean().item():.3f}")


if __name__ == "__main__":
    main()
