"""Checks that each interval, test and verdict of treegauge holds its nominal level.

``calibration/ROOM.py`` has the statements of a room's verbs; ``python -m tools.calibrate`` runs them.
"""
