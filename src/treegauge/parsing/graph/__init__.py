"""Graph-based parser: maximum spanning trees and their probabilities."""
