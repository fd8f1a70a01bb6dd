"""Decompositions of matrices and what is solved with them: the functions behind tenorite.linalg and
tenorite.scipy.linalg."""
