"""Downloads of releases: archives, connections, places."""
