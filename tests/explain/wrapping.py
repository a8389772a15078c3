"""A log as it is met: timestamps, ranks, colours, progress bars, Markdown, notebooks. All generated, none random."""

from __future__ import annotations

import json


def plain(log):
    return log


def timestamps(log):
    return "\n".join(f"2024-05-01 10:00:{n % 60:02d},123 - ERROR - {line}" for n, line in enumerate(log.split("\n")))


def torchrun(log):
    return "\n".join(f"[rank3]: {line}" for line in log.split("\n"))


def default_rank(log):
    return "\n".join(f"[default7]:{line}" for line in log.split("\n"))


def node(log):
    return "\n".join(f"node-0: {line}" for line in log.split("\n"))


def mpirun(log):
    return "\n".join(f"[1,5]<stderr>: {line}" for line in log.split("\n"))


def ray(log):
    return "\n".join(f"(RayWorker pid=4711) {line}" for line in log.split("\n"))


def colours(log):
    lines = log.split("\n")
    lines[-1] = f"\x1b[1;31m{lines[-1]}\x1b[0m"
    return "\n".join(line.replace("File ", "File \x1b[35m").replace(", line", "\x1b[0m, line") for line in lines)


def progress(log):
    bar = "\r".join(f"{n}%|{'#' * (n // 10)}| {n}/100 [00:0{n // 11}<00:01, 12.3it/s]" for n in range(0, 101, 5))
    return f"{bar}\r{log}\n{bar}\n"


def markdown(log):
    return f"### Describe the bug\n\nit fails:\n\n```python\n{log}\n```\n\nmy versions: torch 2.4\n"


def quoted(log):
    return "\n".join(f"> {line}" for line in log.split("\n"))


def unindented(log):
    return "\n".join(line.strip() for line in log.split("\n"))


def windows(log):
    return log.replace("\n", "\r\n") + "\r\n"


def notebook(log):
    return f"{'-' * 75}\nError                         Traceback (most recent call last)\n{log}\n"


def chained(log):
    return (
        "Traceback (most recent call last):\n  File \"runner.py\", line 3, in run\n    step()\nKeyError: 'x'\n\n"
        f"During handling of the above exception, another exception occurred:\n\n{log}\n"
    )


def worker(log):
    return f"RuntimeError: Caught RuntimeError in DataLoader worker process 0.\nOriginal {log}\n"


def interleaved(log):
    """64 ranks, line by line in turns, between ordinary lines."""
    lines = []
    for n, line in enumerate(log.split("\n")):
        for rank in range(64):
            lines.append(f"[rank{(rank * 7 + n) % 64}]: {line}")
            if rank % 16 == 0:
                lines.append(f"[rank{rank}]: step {n} loss 2.345 12.3 it/s")
    return "\n".join(lines)


def in_long_log(log):
    ordinary = "".join(f"INFO step {n} loss {n % 7}.25 lr 1e-4 12.3 it/s\n" for n in range(30000))
    return f"{ordinary}{log}\n{ordinary}"


def json_record(log):
    return json.dumps({"level": "error", "message": log, "pod": "a-1"})


def kubernetes(log):
    return "\n".join(f"2024-05-01T10:00:00.123456789Z stderr F {line}" for line in log.split("\n"))


def compose(log):
    return "\n".join(f"trainer-1  | {line}" for line in log.split("\n"))


def slurm(log):
    return "\n".join(f"3: {line}" for line in log.split("\n"))


def journal(log):
    return "\n".join(f"May 01 10:00:00 node7 python[4711]: {line}" for line in log.split("\n"))


def actions(log):
    return "\n".join(f"2024-05-01T10:00:00.1234567Z {line}" for line in log.split("\n"))


def wandb(log):
    return "\n".join(f"wandb: {line}" for line in log.split("\n"))


def vllm_engine(log):
    prefix = "(EngineCore_DP0 pid=4711) ERROR 05-01 10:00:00 [core.py:700] "
    return "\n".join(f"{prefix}{line}" for line in log.split("\n"))


def dynamo(log):
    prefix = "E0519 01:09:49.832000 3619403 site-packages/torch/fx/x.py:29] [0/0] "
    return "\n".join(f"{prefix}{line}" for line in log.split("\n"))


def loguru(log):
    return "\n".join(f"2024-05-01 10:00:00.123 | ERROR    | train:main:12 - {line}" for line in log.split("\n"))


def rich_logging(log):
    return "\n".join(f"[05/01/24 10:00:00] ERROR    {line}" for line in log.split("\n"))


def mac(log):
    return log.replace("\n", "\r")


def escaped_lines(log):
    """The list of lines that traceback.format_exception gives, as one line."""
    return repr([f"{line}\n" for line in log.split("\n")])


def html(log):
    escaped = log.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return f"<pre>{escaped}</pre>"


WRAPPINGS = {
    function.__name__: function
    for function in (
        plain, timestamps, torchrun, default_rank, node, mpirun, ray, colours, progress, markdown, quoted, unindented,
        windows, notebook, chained, worker, interleaved, in_long_log, json_record, kubernetes, compose, slurm, journal,
        actions, wandb, vllm_engine, dynamo, loguru, rich_logging, mac, escaped_lines, html,
    )
}  # fmt: skip
