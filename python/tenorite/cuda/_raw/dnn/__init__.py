"""cuDNN's functions without cuDNN, of arrays and of addresses, a file for each chapter."""
