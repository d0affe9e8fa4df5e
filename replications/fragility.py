"""To come."""

from replications.parts import Part

PARTS: tuple[Part, ...] = ()
