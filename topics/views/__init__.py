"""Topics, decisions and sessions over HTTP."""
