"""One offline HTML file to hand around."""
