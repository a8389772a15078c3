# machine: v100
# real: cpu
import torch
from transformers import BertConfig, BertForSequenceClassification

dev = "cuda" if torch.cuda.is_available() else "cpu"
config = BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, vocab_size=40, num_labels=3)
model = BertForSequenceClassification(config).to(dev)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
ids = torch.randint(0, 40, (2, 6), device=dev)
mask = torch.tensor([[1] * 6, [1] * 4 + [0] * 2], device=dev)
out = model(input_ids=ids, attention_mask=mask, labels=torch.tensor([0, 2], device=dev))
out.loss.backward()
optimizer.step()
half = model.to(torch.bfloat16 if dev == "cpu" else torch.float16).eval()
with torch.no_grad():
    assert half(input_ids=ids, attention_mask=mask).logits.dtype == half.dtype
