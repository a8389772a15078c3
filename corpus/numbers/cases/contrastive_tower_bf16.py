"""A dual encoder is cast to bfloat16 and trained with lr 1e-4."""
import copy
import math
import torch
from torch import nn
import torch.nn.functional as F


class DualEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.image = nn.Linear(48, 32)
        self.text = nn.Linear(24, 32)
        self.logit_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def forward(self, image, text):
        image = F.normalize(self.image(image).float(), dim=-1)
        text = F.normalize(self.text(text).float(), dim=-1)
        return self.logit_scale.float().exp() * image @ text.T


def fit(model, images, texts, amp):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.0)
    for _ in range(50):
        with torch.autocast("cpu", torch.bfloat16, enabled=amp):
            logits = model(images, texts)
        loss = F.cross_entropy(logits.float(), torch.arange(len(images)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


torch.manual_seed(0)
images, texts = torch.randn(64, 48).bfloat16(), torch.randn(64, 24).bfloat16()
model = DualEncoder()
reference = copy.deepcopy(model)
model = model.to(torch.bfloat16)  # fault: half-parameters-without-master
start = model.logit_scale.item()
fit(model, images, texts, amp=False)


def harm():
    way = model.logit_scale.item() - start
    right = fit(reference, images.float(), texts.float(), amp=False).logit_scale.item() - math.log(1 / 0.07)
    return float(abs(way - right) / abs(right))

# right:
#- reference = copy.deepcopy(model)
#- model = model.to(torch.bfloat16)
#+ reference = copy.deepcopy(model)
#- fit(model, images, texts, amp=False)
#+ fit(model, images, texts, amp=True)
