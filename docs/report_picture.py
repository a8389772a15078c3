"""Take the picture of a finding on the HTML page, docs/images/report.png.

    python docs/report_picture.py

Miscast checks examples/mask.py, and Chromium takes a screenshot of the first finding. The browser is driven as in
tests/html: the program `chromium` or `google-chrome` must be on the PATH. Pillow reduces the colours.
"""

from __future__ import annotations

import base64
import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "report.png"
WIDTH, MARGIN, COLOURS = 1000, 6, 64

sys.path.insert(0, str(ROOT / "tests"))

from browser import FOUND, browser  # noqa: E402


def main() -> int:
    """Write the picture; 2 without a browser."""
    if FOUND is None:
        print("no Chromium on the PATH", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copy(ROOT / "examples" / "mask.py", scratch)
        words = ["check", "--machine", "v100", "--format", "html", "--output", "report.html", "mask.py"]
        subprocess.run([sys.executable, "-m", "miscast", *words], cwd=scratch, check=False)
        with browser(Path(scratch, "profile")) as tab:
            tab.ask("Emulation.setScrollbarsHidden", hidden=True)
            tab.show(Path(scratch, "report.html"), width=WIDTH)
            box = tab.value("document.querySelector('.finding').getBoundingClientRect().toJSON()")
            clip = {
                "x": box["x"] - MARGIN, "y": box["y"] - MARGIN, "scale": 1,
                "width": box["width"] + 2 * MARGIN, "height": box["height"] + 2 * MARGIN,
            }  # fmt: skip
            taken = tab.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
    picture = Image.open(io.BytesIO(base64.b64decode(taken["data"]))).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(PICTURE, optimize=True)
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size / 1024:.1f} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
