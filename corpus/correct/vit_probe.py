# machine: a100
"""A linear probe and a distilled token on top of a frozen ViT in bfloat16."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from transformers import ViTConfig, ViTModel


class Probe(nn.Module):
    def __init__(self, backbone, classes):
        super().__init__()
        self.backbone = backbone
        self.norm = nn.LayerNorm(16)
        self.query = nn.Parameter(torch.zeros(1, 1, 16))
        self.attend = nn.MultiheadAttention(16, 2, batch_first=True)
        self.classify = nn.Linear(16, classes)

    def forward(self, pixels):
        with torch.no_grad():
            tokens = self.backbone(pixels.to(self.backbone.dtype)).last_hidden_state
        tokens = self.norm(tokens.float())
        pooled, _ = self.attend(self.query.expand(len(tokens), -1, -1), tokens, tokens)
        return self.classify(pooled.squeeze(1))


def mixup(images, labels, classes, alpha=0.4):
    lam = torch.distributions.Beta(alpha, alpha).sample((len(images),)).to(images.device)
    order = torch.randperm(len(images), device=images.device)
    weight = lam.view(-1, 1, 1, 1)
    mixed = weight * images + (1 - weight) * images[order]
    onehot = F.one_hot(labels, classes).float()
    return mixed, lam[:, None] * onehot + (1 - lam[:, None]) * onehot[order]


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    config = ViTConfig(
        hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, image_size=8, patch_size=4
    )
    backbone = ViTModel(config, add_pooling_layer=False).to(torch.bfloat16).eval().requires_grad_(False)
    model = Probe(backbone, 5).to(device)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    for step in range(3):
        images = torch.rand(6, 3, 8, 8).to(device)
        labels = torch.randint(0, 5, (6,)).to(device)
        mixed, target = mixup(images, labels, 5)
        loss = torch.sum(-target * F.log_softmax(model(mixed), dim=-1), dim=-1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
