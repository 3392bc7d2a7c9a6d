"""Files and health as pages show them, and the frame of all pages."""
