"""Views of the page, one file per view."""
