"""Causes of operands on different devices."""

from ..cause import Cause, Clue

_NO_MODULE = "pattern:nccl-cpu-tensor|pattern:generator-device|pattern:device-tensor-as-numpy"
"""Messages of what is neither a model nor its input."""

CAUSES = (
    Cause(
        name="something-not-moved", weight=0.15, text="one of the operands was not moved to the device of the others",
        needs=("device-mismatch",),
        help=("print(x.device) of each operand on the failing line, and move the one that differs: x.to(other.device)",),
    ),
    Cause(
        name="input-left-on-cpu", weight=0.3,
        text="the model is on {accelerator}, but the input, or part of the batch, was not moved there",
        needs=("device-mismatch", "cpu-with-accelerator|activation-on-cpu|on:cpu|on:mps"),
        clues=(
            Clue(
                weight=0.4, facts=("activation-on-cpu", "weight-on-accelerator"),
                says="the input is on the CPU, the weight is not",
            ),
            Clue(weight=0.3, facts=("activation-on-cpu",), says="the activation is on the CPU"),
            Clue(weight=0.25, facts=("op:embedding",)),
            Clue(weight=-0.4, facts=("weight-on-cpu|mat2:cpu",)),
            Clue(weight=-0.5, facts=(f"{_NO_MODULE}|several-accelerators",)),
            Clue(weight=-0.3, facts=("op:index|op:Module.to|op:tensor constructor",)),
        ),
        help=("move the batch: x = x.to(next(model.parameters()).device)",),
    ),
    Cause(
        name="model-left-on-cpu", weight=0.25,
        text="the input is on {accelerator}, but the model, or part of it, was never moved there",
        needs=("device-mismatch", "cpu-with-accelerator|weight-on-cpu|pattern:placeholder-on-mps|on:cpu"),
        clues=(
            Clue(weight=0.55, facts=("weight-on-cpu",), says="the weight is on the CPU"),
            Clue(weight=0.5, facts=("op:matmul", "mat2:cpu"), says="the right operand, usually a weight, is on the CPU"),
            Clue(weight=-0.3, facts=("activation-on-cpu",)),
            Clue(weight=-0.5, facts=(_NO_MODULE,)),
            Clue(
                weight=-0.3, facts=("op:index|op:Module.to|op:tensor constructor|op:elementwise|op:cat|op:min|op:eq",)
            ),
        ),
        help=("model.to(device) once, after all of its modules and before the optimizer are created",),
    ),
    Cause(
        name="helper-left-on-cpu", weight=0.2,
        text="a tensor created in the forward pass (torch.zeros, arange, a mask, an anchor grid, a constant that is not a buffer) is on the CPU, and the other one is on {accelerator}",
        needs=("device-mismatch", "cpu-with-accelerator|on:cpu|op:elementwise|op:cat|op:metric"),
        clues=(
            Clue(
                weight=0.3, facts=("op:elementwise|op:cat|op:eq|op:min|op:mul|op:add|op:where",),
                says="an elementwise op has no weights",
            ),
            Clue(weight=0.25, words=("zeros", "ones(", "arange", "torch.tensor(", "anchors", "grid", "loss")),
            Clue(weight=0.1, facts=("own-code-last",)),
            Clue(weight=-0.4, facts=(_NO_MODULE,)),
        ),
        help=("create it on the same device: torch.zeros(n, device=x.device), or register it with register_buffer",),
    ),
    Cause(
        name="index-on-other-device", weight=0.85,
        text="the index or mask is on another device than the tensor it indexes",
        needs=("device-mismatch", "op:index|pattern:indices-device"),
        help=("index with index.to(tensor.device), or move the tensor to the index",),
    ),
    Cause(
        name="model-spread-over-gpus", weight=0.6,
        text="the model is split over several GPUs (device_map, DataParallel), and a tensor was not moved between the parts",
        needs=("device-mismatch", "several-accelerators"),
        clues=(Clue(weight=0.15, words=("accelerate/hooks", "device_map", "dispatch_model", "llama", "modeling_")),),
        help=(
            "if the model fits on one GPU: device_map={'': 0}, or CUDA_VISIBLE_DEVICES with one GPU",
            "otherwise x.to(layer.weight.device) at the boundary between the parts; list the split modules in _no_split_modules",
        ),
    ),
    Cause(
        name="wrong-gpu-index", weight=0.35,
        text="inputs go to one GPU (often the default, cuda:0) while the model was put on another",
        needs=("device-mismatch", "several-accelerators"),
        clues=(Clue(weight=0.5, facts=("op:DataParallel",), says="DataParallel starts from device_ids[0]"),),
        help=("use one device object for both, torch.cuda.set_device(i) first, or CUDA_VISIBLE_DEVICES=i with cuda:0",),
    ),
    Cause(
        name="other-gpu-is-current", weight=0.3,
        text="the tensor is not on the current GPU, where Triton launches its kernels",
        needs=("pattern:triton-cpu-pointer",),
        help=("torch.cuda.set_device(x.device) first, or with torch.cuda.device(x.device): around the call",),
    ),
    Cause(
        name="generator-of-other-device", weight=0.75,
        text="random numbers are generated on one device with a generator of another",
        needs=("pattern:generator-device",), clues=(Clue(weight=-0.4, facts=("op:randperm",)),),
        help=("torch.Generator(device=device), or draw on the generator's device and move the result",),
    ),
    Cause(
        name="default-tensor-on-cuda", weight=0.3,
        text="torch.set_default_tensor_type or set_default_device puts new tensors on the GPU, but the DataLoader's sampler uses a CPU generator",
        needs=("pattern:generator-device|op:tensor constructor",),
        clues=(Clue(weight=0.5, facts=("op:randperm",), says="the DataLoader's sampler draws it"),),
        help=("DataLoader(…, generator=torch.Generator(device='cuda')), or do not change the default tensor type",),
    ),
    Cause(
        name="legacy-constructor-device", weight=0.9,
        text="torch.FloatTensor and similar constructors create CPU tensors only, but got a CUDA device",
        needs=("pattern:legacy-constructor",), help=("torch.tensor(data, dtype=torch.float32, device=device)",),
    ),
    Cause(
        name="optimizer-state-elsewhere", weight=0.75,
        text="the optimizer's state is on another device than its parameters: the model was moved after the optimizer was created, or a checkpoint loaded its state on the CPU",
        needs=("device-mismatch", "op:optimizer.step|op:optimizer|op:lerp_"),
        help=("move the model first, then create the optimizer, then load its state: optimizer.load_state_dict moves it to the parameters' device",),
    ),
    Cause(
        name="numpy-reads-host-memory", weight=0.9,
        text="NumPy (also through np.sum, plotting or a metric) is given a tensor on {device}",
        needs=("pattern:device-tensor-as-numpy",),
        help=("x.detach().cpu().numpy(); for a list: [x.cpu() for x in xs]",),
    ),
    Cause(
        name="left-on-meta", weight=0.7,
        text="weights stayed on the meta device: they are offloaded or were never loaded, and .to() cannot move them",
        needs=("pattern:meta-has-no-data|pattern:expected-device|on:meta",),
        clues=(Clue(weight=0.1, words=("accelerate", "from_pretrained", "offload", "to_empty")),),
        help=(
            "load with low_cpu_mem_usage=False, or without device_map; do not call .to() on a dispatched model",
            "module.to_empty(device=…) where weights are to be filled in afterwards",
        ),
    ),
    Cause(
        name="cpu-tensor-in-nccl", weight=0.8,
        text="a CPU tensor is passed to a collective of the NCCL backend: a metric, a counter or average, or a model that was wrapped before it was moved",
        needs=("pattern:nccl-cpu-tensor",),
        help=("move it first: x.to(torch.device('cuda', local_rank)); or init_process_group('cpu:gloo,cuda:nccl')",),
    ),
    Cause(
        name="wrapped-before-moved", weight=0.0, text="the model was wrapped in DDP before it was moved to its GPU",
        needs=("pattern:nccl-cpu-tensor|op:DistributedDataParallel", "frames"),
        clues=(Clue(weight=0.95, facts=("op:DistributedDataParallel",), says="raised while DDP is created"),),
        help=("model.to(local_rank) first, DistributedDataParallel(model, device_ids=[local_rank]) after",),
    ),
    Cause(
        name="offloaded-part", weight=0.0,
        text="a part was offloaded to the CPU to save memory, and the code that moves it back was bypassed",
        needs=("device-mismatch", "cpu-with-accelerator"),
        clues=(Clue(weight=0.5, words=("lowvram", "offload", "deepcache", "model_management", "block_swap", "cpu_offload")),),
        help=("call the part through its pipeline, or disable offloading",),
    ),
    Cause(
        name="metric-on-cpu", weight=-0.2,
        text="a metric's state is on the CPU and gets predictions from {accelerator}", needs=("device-mismatch",),
        clues=(Clue(weight=0.7, words=("torchmetrics", "/metrics", "metric")), Clue(weight=0.7, facts=("op:metric",))),
        help=("make the metric a submodule of the model, or metric.to(device)",),
    ),
)
