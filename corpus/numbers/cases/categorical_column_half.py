"""A column of category ids is joined with float16 features and read back as ids: above 2048 they are other ids."""
import torch
from torch import nn


class ClickModel(nn.Module):
    def __init__(self, items, dim=8, numeric=6):
        super().__init__()
        self.items = nn.Embedding(items, dim)
        self.out = nn.Linear(dim + numeric, 1)

    def forward(self, numeric, item_id):
        return self.out(torch.cat([numeric, self.items(item_id)], dim=1)).squeeze(1)


torch.manual_seed(0)
model = ClickModel(items=40_000).half().eval()
numeric = torch.randn(512, 6).half()
item_id = torch.randint(0, 40_000, (512,))

rows = torch.cat([numeric, item_id[:, None].to(numeric.dtype)], dim=1)  # fault: index-in-half
looked_up = []
with torch.no_grad():
    for batch in rows.split(64):
        ids = batch[:, 6].long()
        looked_up.append(ids)
        click_logit = model(batch[:, :6], ids)


def harm():
    wrong = (torch.cat(looked_up) != item_id).sum().item()
    return float(wrong)

# right:
#-
#- rows = torch.cat([numeric, item_id[:, None].to(numeric.dtype)], dim=1)
#+
#-     for batch in rows.split(64):
#-         ids = batch[:, 6].long()
#+     for batch, ids in zip(numeric.split(64), item_id.split(64)):
#-         click_logit = model(batch[:, :6], ids)
#+         click_logit = model(batch, ids)
