# machine: 2xa100
import torch

assert torch.cuda.is_available() and torch.cuda.device_count() == 2
assert torch.cuda.get_device_capability() == (8, 0) and torch.cuda.is_bf16_supported()
properties = torch.cuda.get_device_properties(0)
print(properties.name, properties.total_memory, properties.major, properties.multi_processor_count)
free, total = torch.cuda.mem_get_info()
assert 0 < free <= total
torch.cuda.reset_peak_memory_stats()
print(torch.cuda.max_memory_allocated(), torch.cuda.memory_reserved(), torch.cuda.memory_summary()[:10])
torch.cuda.empty_cache()
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.benchmark = True
torch.set_float32_matmul_precision("high")
assert torch.accelerator.is_available() and torch.accelerator.current_accelerator().type == "cuda"
assert torch.accelerator.device_count() == 2
dtype = torch.bfloat16 if torch.cuda.get_device_capability()[0] >= 8 else torch.float16
x = torch.ones(2, device=torch.accelerator.current_accelerator(), dtype=dtype)
print(x.device, torch.version.cuda, torch.cuda.get_device_name(1), torch.cuda.get_arch_list())
