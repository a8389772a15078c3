"""Channel means from NumPy are float64 and widen the cached float32 images to float64."""
import numpy as np
import torch

MEAN = np.array([0.485, 0.456, 0.406])
STD = np.array([0.229, 0.224, 0.225])


class CachedImages(torch.utils.data.Dataset):
    """Keeps the preprocessed images in memory."""

    def __init__(self, raw):
        mean = torch.from_numpy(MEAN).view(3, 1, 1)
        std = torch.from_numpy(STD).view(3, 1, 1)
        scaled = raw.float() / 255
        self.images = (scaled - mean) / std  # fault: widening

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index]


torch.manual_seed(0)
raw = torch.randint(0, 256, (64, 3, 32, 32), dtype=torch.uint8)
dataset = CachedImages(raw)
loader = torch.utils.data.DataLoader(dataset, batch_size=16)


def harm():
    size = sum(batch.numel() * batch.element_size() for batch in loader)
    right = raw.numel() * 4
    return float(size / right - 1)

# right:
#-         mean = torch.from_numpy(MEAN).view(3, 1, 1)
#-         std = torch.from_numpy(STD).view(3, 1, 1)
#+         mean = torch.from_numpy(MEAN).float().view(3, 1, 1)
#+         std = torch.from_numpy(STD).float().view(3, 1, 1)
