# machine: v100
"""nn.Transformer on padded sequences, float16 autocast."""

import math

import torch
import torch.nn as nn

PAD = 0
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class PositionalEncoding(nn.Module):
    def __init__(self, width, length=64):
        super().__init__()
        position = torch.arange(length, dtype=torch.float32).unsqueeze(1)
        rate = torch.exp(torch.arange(0, width, 2, dtype=torch.float32) * (-math.log(10000.0) / width))
        table = torch.zeros(length, width)
        table[:, 0::2] = torch.sin(position * rate)
        table[:, 1::2] = torch.cos(position * rate)
        self.register_buffer("table", table)

    def forward(self, x):
        return x + self.table[: x.shape[1]]


class Translator(nn.Module):
    def __init__(self, vocabulary=40, width=16):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width, padding_idx=PAD)
        self.position = PositionalEncoding(width)
        self.transformer = nn.Transformer(
            width, nhead=2, num_encoder_layers=1, num_decoder_layers=1, dim_feedforward=32, dropout=0.0, batch_first=True
        )
        self.out = nn.Linear(width, vocabulary)

    def forward(self, source, target):
        length = target.shape[1]
        causal = torch.triu(torch.ones(length, length, dtype=torch.bool, device=target.device), diagonal=1)
        hidden = self.transformer(
            self.position(self.embed(source)),
            self.position(self.embed(target)),
            tgt_mask=causal,
            src_key_padding_mask=source == PAD,
            tgt_key_padding_mask=target == PAD,
        )
        return self.out(hidden)


def make_batch(size=4, length=7):
    source = torch.randint(1, 40, (size, length))
    target = torch.cat([torch.ones(size, 1, dtype=torch.long), source.flip(1)], dim=1)
    source[0, 5:] = PAD
    target[0, 6:] = PAD
    return source.to(device), target.to(device)


def label_smoothing(logits, target, eps=0.1):
    logp = logits.float().log_softmax(dim=-1)
    nll = -logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    smooth = -logp.mean(dim=-1)
    weight = (target != PAD).float()
    return (((1 - eps) * nll + eps * smooth) * weight).sum() / weight.sum()


def main():
    torch.manual_seed(0)
    model = Translator().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98))
    scaler = torch.amp.GradScaler(device.type)
    for step in range(3):
        source, target = make_batch()
        with torch.autocast(device.type, dtype=torch.float16):
            logits = model(source, target[:, :-1])
            loss = label_smoothing(logits, target[:, 1:])
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        print(f"step {step}: loss {loss.item():.4f}, norm {norm.item():.3f}")


if __name__ == "__main__":
    main()
