"""What tests of the page in a browser share."""


def address(page):
    """Return the page's address as the page has it: `page.url` lags behind its scripts."""
    return page.evaluate("location.href")


def table(page, within):
    """Return the rows of a table as lists of text."""
    rows = page.locator(f"{within} tbody tr")
    return [row.locator("th,td").all_inner_texts() for row in rows.all()]
