# machine: v100
# real: cpu
import os
import shutil
from pathlib import Path

import torch

existing = Path("full.pt").read_bytes()
model = torch.nn.Linear(8, 8)
torch.save(model.state_dict(), "last.tmp")
os.replace("last.tmp", "last.pt")
assert os.path.exists("last.pt") and not os.path.exists("last.tmp")
shutil.copyfile("last.pt", "best.pt")
shutil.copy2("best.pt", "other.pt")
Path("other.pt").rename("kept.pt")
os.makedirs("step-1.tmp", exist_ok=True)
torch.save({"step": 1, "model": model.state_dict()}, "step-1.tmp/state.pt")
shutil.move("step-1.tmp", "step-1")
assert torch.load("step-1/state.pt")["step"] == 1
for name in ("last.pt", "best.pt", "kept.pt"):
    model.load_state_dict(torch.load(name, weights_only=True))
if torch.cuda.is_available():  # a real checkpoint of this name stays what it was
    os.replace("best.pt", "full.pt")
    assert Path("full.pt").read_bytes() == existing and not os.path.exists("best.pt")
model.load_state_dict(torch.load("full.pt", weights_only=True))
shutil.rmtree("step-1")
