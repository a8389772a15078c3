"""What a program without a network may ask of who reads hubs for it, and with which arguments."""

from __future__ import annotations

_REPO = ("repo_id", "repo_type", "revision", "token", "endpoint", "etag_timeout")
FUNCTIONS = {
    "hf_hub_download": (*_REPO, "filename", "subfolder"),
    "snapshot_download": (*_REPO, "allow_patterns", "ignore_patterns"),
    "request": ("method", "url", "headers", "body"),
    "torch_hub": ("url",),
}
"""By name, the arguments: none says where a file is written."""

QUESTION = r"/api/(models|datasets|spaces)/.+/paths-info/[^/]+"
"""The paths of the Hub where a POST only asks."""
