"""The text of the functions in double precision, for the host and for GPUs alike.

Functions of one argument are quotients of polynomials that meet them at Chebyshev's nodes. Others
are series where they converge fast, continued fractions (Lentz) and asymptotic series elsewhere;
inverses go by Halley's steps. Relative errors are of the order of 1e-14.
"""

from tenorite.scipy.special._text import base, bessel, gamma, incomplete, integrals, legendre

TEXT = base.TEXT + gamma.TEXT + bessel.TEXT + incomplete.TEXT + integrals.TEXT + legendre.TEXT
