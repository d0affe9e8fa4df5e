"""What parsers learn: data maps, information, learning curves, transfer."""
