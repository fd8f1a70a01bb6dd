"""Functions of NVIDIA's libraries, made from tables. A line of a table is a function's name here,
its name in the library, and its parameters."""
