#!/usr/bin/env python3
"""Check the site that `make docs` has built.

    check_site.py FOLDER                        links: each leads to a page and to a place on it
    check_site.py FOLDER --browser PROGRAM      and what a browser shows, at 380 and 1,280 px

With a browser (Chromium, driven by playwright) each page has a title, a description and a
language, is no wider than the window and at most 20,000 px high, its pictures have texts, its
fields labels, and its text a contrast of 4.5 with what it stands on (3 if it is large). A search
for a function's name shows the function first.
"""

import argparse
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

WIDTHS = (380, 1280)
HIGHEST = 20_000
# A search and the page that has to come first.
SEARCHES = {"sum": "tenorite.sum", "welch": "tenorite.scipy.signal.welch", "svd": "tenorite.linalg.svd"}
# What is wrong with a page, as the browser sees it.
LOOK = Path(__file__).with_name("check_page.js")


class Page(HTMLParser):
    """The links and the places of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places.update(value for name, value in attributes if name in ("id", "name") and value)
        for name in ("href", "src"):
            if given.get(name):
                self.links.append(given[name])


def is_elsewhere(link):
    return link.startswith(("http:", "https:", "mailto:", "data:", "javascript:", "//"))


def broken(folder):
    """Yield (page, link) of links that lead nowhere."""
    folder = Path(folder).resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
    there = {path for path in folder.rglob("*") if path.is_file()}
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            if is_elsewhere(link):
                continue
            address, fragment = urldefrag(link)
            address = unquote(address).partition("?")[0]
            target = Path(f"{path.parent}/{address}").resolve() if address else path
            if target not in there and target / "index.html" not in there:
                yield path.relative_to(folder).as_posix(), link
            elif fragment and target in pages and unquote(fragment) not in pages[target].places:
                yield path.relative_to(folder).as_posix(), link


def looks(folder, program, names):
    """Yield (page, width, fault) of what a browser shows."""
    from playwright.sync_api import sync_playwright

    folder, look = Path(folder).resolve(), LOOK.read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which(program) or program, args=["--no-sandbox"])
        for width in WIDTHS:
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.emulate_media(reduced_motion="reduce")
            for name in names:
                page.goto((folder / name).as_uri())
                for fault in page.evaluate(look, {"wide": width, "highest": HIGHEST}):
                    yield name, width, fault
        for asked, wanted in SEARCHES.items() if "index.html" in names else ():
            page.goto((folder / "search.html").as_uri() + f"?q={asked}")
            page.wait_for_selector("ul.search li a", timeout=60_000)
            page.wait_for_timeout(1500)
            first = page.locator("ul.search li a").first.text_content()
            if wanted not in first:
                yield "search.html", width, f"{asked}: {first} comes first"
        browser.close()


def chosen(folder, every):
    """The pages that a browser looks at: all of prose, the largest of the reference, and every
    n-th of the others."""
    folder = Path(folder)
    found = sorted(folder.rglob("*.html"), key=lambda path: -path.stat().st_size)
    names = [path.relative_to(folder).as_posix() for path in found]
    names = [name for name in names if not name.startswith(("source/", "_static/")) and name != "search.html"]
    pages = [name for name in names if not name.startswith("reference/names/")]
    rest = [name for name in names if name.startswith("reference/names/")]
    return pages + rest[:20] + rest[20::every]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--browser", help="the program of a Chromium")
    parser.add_argument("--every", type=int, default=50, help="which of the pages of functions are looked at")
    given = parser.parse_args()
    faults = [f"{page}: {link} leads nowhere" for page, link in broken(given.folder)]
    if given.browser:
        names = chosen(given.folder, given.every)
        faults += [f"{page} at {width}: {fault}" for page, width, fault in looks(given.folder, given.browser, names)]
        print(f"looked at {len(names)} pages")
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
