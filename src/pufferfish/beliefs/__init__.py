"""What is described: priors, what adversaries believe, which secrets must look alike, and how."""
