"""Topics, decisions and sessions as pages show them."""
