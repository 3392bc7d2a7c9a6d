"""Measurements of MemoryHub against the floor of the machine they run on."""
