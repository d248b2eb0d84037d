"""Several releases of the same column: what they cost together, and the file that counts them."""
