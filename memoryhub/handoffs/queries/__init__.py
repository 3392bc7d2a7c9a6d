"""Read queries of handoffs, for pages and tools."""
