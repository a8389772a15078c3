"""A data set gives the differences of a video's frames, which are uint8: a pixel that darkens is bright."""
import torch
from torch.utils.data import DataLoader, Dataset


class Motion(Dataset):
    def __init__(self, clips):
        self.clips = clips

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, index):
        clip = self.clips[index]
        return torch.diff(clip, dim=0).float() / 255  # fault: wrap


torch.manual_seed(0)
clips = torch.randint(90, 110, (6, 4, 8, 8), dtype=torch.uint8)
motion = torch.cat(list(DataLoader(Motion(clips), batch_size=2)))


def harm():
    return motion.abs().mean().item()

# right:
#-         return torch.diff(clip, dim=0).float() / 255
#+         return torch.diff(clip.float(), dim=0) / 255
