"""What the published scores show, and their plain CSV."""
