"""One offline HTML file: its parts, its data, its server."""
