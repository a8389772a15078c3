"""A language model and a value head, trained together."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ValueHead(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, 1)

    def forward(self, hidden):
        return self.out(self.norm(hidden)).squeeze(-1)


class Trainer:
    def __init__(self, model, device, lr):
        self.model = model
        self.value = ValueHead(model.config.n_embd).to(device)
        self.baseline = torch.zeros(1, device=device)
        self.optimizer = torch.optim.AdamW([*model.parameters(), *self.value.parameters()], lr=lr)

    def language_loss(self, logits, ids, mask):
        each = F.cross_entropy(logits[:, :-1].float().transpose(1, 2), ids[:, 1:], reduction="none")
        weight = mask[:, 1:].to(each.dtype)
        return (each * weight).sum() / weight.sum()

    def step(self, batch):
        out = self.model(batch["ids"], attention_mask=batch["mask"].long(), output_hidden_states=True)
        loss = self.language_loss(out.logits, batch["ids"], batch["mask"])
        values = self.value(out.hidden_states[-1][:, -1].float())
        self.baseline = 0.9 * self.baseline + 0.1 * batch["rewards"].mean()
        value_loss = F.mse_loss(values, batch["rewards"] - self.baseline)
        self.optimizer.zero_grad()
        (loss + value_loss).backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss.item(), value_loss.item()
