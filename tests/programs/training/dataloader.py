# machine: v100
# real: cpu
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, WeightedRandomSampler, random_split


class Images(Dataset):
    def __init__(self):
        self.data = np.random.default_rng(0).integers(0, 255, (40, 8, 8, 3), dtype=np.uint8)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return {"image": torch.from_numpy(self.data[i]).permute(2, 0, 1).float() / 255, "label": i % 3, "name": str(i)}


class Stream(IterableDataset):
    def __iter__(self):
        while True:
            yield torch.rand(3), np.float32(1.5)


dev = "cuda" if torch.cuda.is_available() else "cpu"
train, val = random_split(Images(), [30, 10], generator=torch.Generator().manual_seed(0))
loader = DataLoader(train, batch_size=4, shuffle=True, num_workers=2 if dev == "cuda" else 0, pin_memory=dev == "cuda", drop_last=True)
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(192, 3)).to(dev)
for epoch in range(2):
    for batch in loader:
        logits = model(batch["image"].to(dev, non_blocking=True))
        torch.nn.functional.cross_entropy(logits, batch["label"].to(dev)).backward()
for i, (x, y) in enumerate(DataLoader(Stream(), batch_size=2)):
    assert x.shape == (2, 3) and y.dtype == torch.float32
    if i == 3:
        break
sampler = WeightedRandomSampler(torch.ones(10, dtype=torch.double), 8)
for (x,) in DataLoader(TensorDataset(torch.arange(10)), batch_size=4, sampler=sampler):
    print(x.tolist())
