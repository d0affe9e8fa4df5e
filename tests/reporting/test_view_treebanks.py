"""Treebanks in a browser."""


def test_tables_sort_and_filter(tab, small):
    page = tab(small / "page.html", "#treebanks?family=lengths")
    audit = page.locator("#view-treebanks .data-table").nth(1)
    checks = audit.locator("tbody tr td:nth-child(4)")
    every = checks.all_inner_texts()
    audit.locator("input.filter").fill(every[-1].upper())
    assert checks.all_inner_texts() == [check for check in every if check == every[-1]]
    assert len(set(every)) > 1
    audit.locator("input.filter").fill("")
    audit.get_by_role("button", name="check").click()
    assert checks.all_inner_texts() == sorted(every)
    assert audit.locator("th[aria-sort=ascending]").inner_text().startswith("check")
