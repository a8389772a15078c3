from collections.abc import Iterator

import pytest

from .measure import Watch


@pytest.fixture(scope="module")
def watch() -> Iterator[Watch]:
    """Sees ops as the dispatcher knows them; a registration of the whole process, so it goes when the module ends."""
    watch = Watch()
    yield watch
    watch.close()
