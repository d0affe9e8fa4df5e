"""Checks that each interval, test and verdict that treegauge prints holds what it says.

``calibration/ROOM.py`` has the statements of a room's verbs; ``python -m calibration`` runs them.
"""
