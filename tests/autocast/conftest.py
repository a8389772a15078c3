from collections.abc import Iterator

import pytest
import torch

from .measure import Watch


@pytest.fixture(scope="module")
def watch() -> Iterator[Watch]:
    """Sees ops as the dispatcher knows them; a registration of the whole process, so it goes when the module ends."""
    watch, threads = Watch(), torch.get_num_threads()
    torch.set_num_threads(1)  # thousands of tiny calls: waking threads costs more than they save
    yield watch
    torch.set_num_threads(threads)
    watch.close()
