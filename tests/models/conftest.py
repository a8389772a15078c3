"""Libraries that talk less."""

from __future__ import annotations

import diffusers
import transformers

diffusers.logging.set_verbosity_error()
transformers.logging.set_verbosity_error()
