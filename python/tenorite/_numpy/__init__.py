"""NumPy's functions that are compositions, a file for each chapter of NumPy's reference."""
