"""The product's own manual inside the hub."""
