"""What tests of the page share."""

import base64
import json
import re
import time
import zlib


def address(page):
    """Return the page's address as the page has it: `page.url` lags behind its scripts."""
    return page.evaluate("location.href")


def until(page, expression):
    """Wait until an expression holds; the page's own policy forbids what `wait_for_function` evaluates in it."""
    for _ in range(600):
        if page.evaluate(expression):
            return
        time.sleep(0.05)
    raise AssertionError(f"never true: {expression}")


def table(page, within):
    """Return the rows of a table as lists of text."""
    rows = page.locator(f"{within} tbody tr")
    return [row.locator("th,td").all_inner_texts() for row in rows.all()]


def page_data(text):
    """Return the data of a page by name, unpacked as the page does."""
    found = re.findall(r'<script type="application/json" id="data-(\w+)">(.*?)</script>', text)
    return {key: json.loads(_unpacked(value)) for key, value in found}


def _unpacked(text):
    size, _, packed = text.partition(":")
    if not size.isdigit():
        return text
    content = zlib.decompress(base64.b64decode(packed), -15)
    assert len(content) == int(size)
    return content.decode()
