"""Contradictions of what serves and of Ultralytics' command."""

from __future__ import annotations

from . import Case

CASES = {
    "vllm: bfloat16 on a T4": Case(
        files={"serve.sh": "vllm serve org/Model-7B --dtype ▸bfloat16 --max-model-len 4096\n"}, machine="t4",
        rule="setting-not-on-machine", says="Bfloat16 is only supported on GPUs with compute capability of at least 8.0",
        fix=("bfloat16", "half"),
    ),
    "vllm: bfloat16 on a P100, in code": Case(
        files={"serve.py": 'from vllm import LLM\nllm = LLM(model="org/m", dtype=▸"bfloat16")\n'}, machine="p100",
        rule="setting-not-on-machine", says="compute capability of at least 8.0", fix=('"bfloat16"', '"float16"'),
    ),
    "vllm: AWQ before Turing": Case(
        files={"serve.sh": "vllm serve org/Model-AWQ --quantization ▸awq --dtype half\n"}, machine="v100",
        rule="setting-needs-newer-gpu", says="Minimum capability: 75. Current capability: 70.",
        fix=("quantization awq", "quantization gptq"),
    ),
    "vllm: a checkpoint in mxfp4 before Ampere": Case(
        files={"serve.sh": "vllm serve ▸openai/gpt-oss-20b --tensor-parallel-size 2\n"}, machine="2xrtx2080ti",
        rule="setting-needs-newer-gpu", says="gpt_oss_mxfp4 is not supported for the current GPU",
        fix=("gpt-oss-20b", "gpt-oss-20b-bf16"),
    ),
    "vllm: a cache in float8 that no attention takes": Case(
        files={"serve.py": 'from vllm import LLM\nllm = LLM(model="org/m", dtype="half", kv_cache_dtype=▸"fp8")\n'},
        rule="setting-needs-newer-gpu", says="FP8 KV cache is not supported by the Triton attention", machine="t4",
        fix=('"fp8"', '"auto"'),
    ),
    "vllm: a cache in float8 in Triton's attention before Ada": Case(
        files={"serve.sh": "vllm serve org/m --kv-cache-dtype ▸fp8_e4m3 --attention-backend TRITON_ATTN\n"},
        rule="setting-needs-newer-gpu", says="native FP8 (fp8e4nv) requires SM89+", machine="a100",
        fix=("TRITON_ATTN", "FLASHINFER"),
    ),
    "vllm: a cache in float8 that FlashAttention has no kernel for": Case(
        files={"serve.sh": "vllm serve org/m --kv-cache-dtype ▸fp8 --attention-backend FLASH_ATTN\n"}, machine="rtx4090",
        rule="setting-needs-newer-gpu", says="FP8 KV cache requires FA3 on SM90", fix=(" --attention-backend FLASH_ATTN", ""),
    ),
    "vllm: a cache in float8 for float32, which FlashInfer does not take": Case(
        files={"serve.sh": "vllm serve org/m --dtype float32 --kv-cache-dtype ▸fp8\n"}, machine="a100",
        rule="setting-needs-newer-gpu", says="requires SM89+ (FlashInfer, which serves it from SM80 on in float16", fix=("float32", "bfloat16"),
    ),
    "vllm: a cache in four bits before Ampere": Case(
        files={"serve.sh": "vllm serve org/m --dtype half --kv-cache-dtype ▸nvfp4\n"}, machine="t4",
        rule="setting-needs-newer-gpu", says="No valid attention backend found", fix=("nvfp4", "auto"),
    ),
    "vllm: a cache in another dtype than the model": Case(
        files={"serve.sh": "vllm serve org/m --dtype half --kv-cache-dtype ▸bfloat16\n"},
        rule="rejected-value", says='kv_cache_dtype="bfloat16" is incompatible with dtype=', fix=("half", "bfloat16"),
    ),
    "vllm: a cache in e5m2 beside weights in float8": Case(
        files={"serve.sh": "vllm serve org/m --quantization fp8 --kv-cache-dtype ▸fp8_e5m2\n"},
        rule="quantization-excludes", says="fp8_e5m2 kv-cache is not supported with fp8 checkpoints",
        fix=("fp8_e5m2", "fp8_e4m3"),
    ),
    "vllm: a cache in a dtype that it does not know": Case(
        files={"serve.sh": "vllm serve org/m --kv-cache-dtype ▸bf16\n"}, severity="hint",
        rule="rejected-value", says="Invalid kv_cache_dtype: 'bf16'", fix=("bf16", "bfloat16"),
    ),
    "vllm: a trainer beside it is not refused by it": Case(
        files={"serve.sh": "vllm serve org/m --dtype half\n",
               "train.sh": "python train.py --output_dir o --bf16 ▸True --per_device_train_batch_size 1\n"},
        rule="setting-not-on-machine", says="right values, but slow", machine="t4", severity="warning",
        fix=("--bf16", "--fp16"),
    ),
    "vllm: a dtype that it does not know": Case(
        files={"s.slurm": "#!/bin/bash\n#SBATCH --gpus=8\nsrun -N 2 --gpus-per-node=8 python -m "
               "vllm.entrypoints.openai.api_server --model m --dtype ▸fp16\n"},
        rule="rejected-value", says="invalid choice: 'fp16'", fix=("fp16", "half"),
    ),
    "vllm: awq in float32": Case(
        files={"serve.sh": "vllm serve org/Model-AWQ --quantization awq --dtype=▸float32\n"},
        rule="quantization-excludes", says="torch.float32 is not supported for quantization method",
        fix=("=float32", "=bfloat16"),
    ),
    "sglang: a dtype of torch's on the command line": Case(
        files={"serve.sh": "python3 -m sglang.launch_server --model-path m --dtype ▸torch.float16\n"},
        rule="rejected-value", says="invalid choice: 'torch.float16'", fix=("torch.float16", "float16"),
    ),
    "sglang: bfloat16 on a T4": Case(
        files={"serve.sh": "python3 -m sglang.launch_server --model-path m --dtype ▸bfloat16\n"}, machine="t4",
        rule="setting-not-on-machine", says="Use float16 due to lack of bfloat16 support", fix=("bfloat16", "half"),
        severity="warning",
    ),
    "sglang: a V100, in any dtype": Case(
        files={"serve.sh": "▸python3 -m sglang.launch_server --model-path m --dtype half\n"}, machine="v100",
        rule="machine-refused", says="SGLang only supports sm75 and above", fix=("sglang.launch_server", "other"),
    ),
    "ultralytics: a precision of Lightning's": Case(
        files={"t.sh": "yolo detect train data=coco8.yaml model=yolo11n.pt amp=▸bf16-mixed\n"},
        rule="rejected-value", says="'amp=bf16-mixed' is invalid", fix=("bf16-mixed", "BF16"),
    ),
    "ultralytics: a scheme of four bits": Case(
        files={"t.sh": "yolo export model=yolo11n.pt format=engine quantize=▸int4\n"},
        rule="rejected-value", says="'quantize=int4' is invalid", fix=("int4", "INT8"),
    ),
    "ultralytics: half beside int8": Case(
        files={"e.sh": "yolo export model=yolo11n.pt format=engine half=▸True int8=True\n"}, severity="warning",
        rule="setting-has-no-effect", says="int8 overrides half", fix=("half=True ", ""),
    ),
    "ultralytics: half on a CPU": Case(
        files={"e.sh": "yolo mode=export model=yolo11n.pt format=torchscript half=▸True device=cpu\n"},
        rule="float16-on-cpu", says="FP16 TorchScript export is only supported on GPU", fix=("device=cpu", "device=0"),
    ),
    "ultralytics: float16 of the format and on the device that an export has by default": Case(
        files={"e.sh": "yolo export model=yolo11n.pt quantize=▸16\n"},
        rule="float16-on-cpu", says="FP16 TorchScript export is only supported on GPU", fix=("=16", "=16 device=0"),
    ),
}  # fmt: skip
