"""What `make docs` needs to build the site: formulas as MathML, and pages written from the code."""
