"""What is a person's own, over HTTP."""
