"""Make the pictures of docs/gallery.md: `python docs/_screenshots.py demo/index.html`.

Needs Playwright for Python and a Chromium on the path; nothing is downloaded.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

OUT = Path(__file__).parent / "images" / "report"
SIZES = {1280: 900, 390: 844}
# What each picture shows: a name, and the link that leads to it.
VIEWS = {
    "top": "",
    "scores": "#scores?by=relation",
    "sentences": "#scores?by=relation&class=obl&system=hasty",
    "ranking": "#ranking?size=10",
    "picker": "#ranking?size=10&system=Stanford",
    "treebanks": "#treebanks?family=displacement",
    "audit": "#treebanks",
    "maps": "#maps?layer=head&x0=0&x1=0.1&y0=0&y1=0.25",
    "candidates": "#maps",
    "learning": "#learning",
    "transfer": "#learning",
    "methods": "#methods",
}
# Views that begin below the head of their section.
BELOW = {
    "sentences": "#scores-sentences",
    "picker": "#ranking h3:has-text('Outlier')",
    "audit": "#treebanks h3:has-text('audit')",
    "candidates": "#maps h3:has-text('annotation errors')",
    "transfer": "#learning h3:has-text('learned late')",
}
# Views that are also shown in dark colours.
DARK = ("top", "ranking", "maps")


def main(page_file: Path) -> None:
    """Write one picture a view and width, in light colours, and some in dark ones, too."""
    OUT.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for width, height in SIZES.items():
            views = {(name, "light"): link for name, link in VIEWS.items()}
            views |= {(name, "dark"): VIEWS[name] for name in DARK}
            for (name, scheme), link in views.items():
                tab = browser.new_page(
                    viewport={"width": width, "height": height}, color_scheme=scheme
                )
                tab.goto(f"{page_file.resolve().as_uri()}{link}")
                if name in BELOW:
                    tab.locator(BELOW[name]).evaluate("e => e.scrollIntoView()")
                ending = "" if scheme == "light" else f"-{scheme}"
                tab.screenshot(path=OUT / f"{name}-{width}{ending}.png")
                tab.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
