"""Tables on this machine: dicts of arrays, frames of any kind, and files."""
