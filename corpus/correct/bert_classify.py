# machine: t4
"""Sentence classification with BERT: NumPy features, mixed precision, class weights, a learning rate schedule."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from transformers import BertConfig, BertModel

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Sentences(Dataset):
    def __init__(self, count):
        rng = np.random.default_rng(0)
        self.ids = rng.integers(3, 80, (count, 10))
        self.lengths = rng.integers(4, 11, count)
        self.features = rng.normal(size=(count, 3)).astype(np.float32)
        self.labels = rng.integers(0, 3, count)

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        mask = (np.arange(10) < self.lengths[index]).astype(np.int64)
        return {
            "input_ids": torch.tensor(self.ids[index], dtype=torch.long),
            "attention_mask": torch.from_numpy(mask),
            "features": torch.from_numpy(self.features[index]),
            "label": int(self.labels[index]),
        }


class Classifier(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.bert = BertModel(
            BertConfig(
                vocab_size=80, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
                max_position_embeddings=16, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
            )
        )
        self.head = nn.Linear(16 + 3, classes)

    def forward(self, input_ids, attention_mask, features):
        hidden = self.bert(input_ids, attention_mask=attention_mask).last_hidden_state
        weight = attention_mask.unsqueeze(-1).to(hidden.dtype)
        pooled = (hidden * weight).sum(dim=1) / weight.sum(dim=1)
        return self.head(torch.cat([pooled, features], dim=-1))


def main():
    torch.manual_seed(0)
    model = Classifier(3).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (1 + step))
    criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 1.0], device=device), label_smoothing=0.1)
    scaler = torch.amp.GradScaler(device.type)
    for step, batch in enumerate(DataLoader(Sentences(8), batch_size=4)):
        label = batch.pop("label").to(device)
        inputs = {name: value.to(device) for name, value in batch.items()}
        with torch.autocast(device.type, dtype=torch.float16):
            loss = criterion(model(**inputs), label)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        schedule.step()
        print(f"step {step}: {loss.item():.4f}")

    model.eval().half()
    batch = next(iter(DataLoader(Sentences(4), batch_size=4)))
    with torch.no_grad():
        ids, mask = batch["input_ids"].to(device), batch["attention_mask"].to(device)
        logits = model(ids, mask, batch["features"].to(device).half())
    print(f"served {logits.float().softmax(-1).max().item():.3f}")


if __name__ == "__main__":
    main()
