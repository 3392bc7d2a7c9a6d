"""Memory as today's hosts lay it out, without any format that the hub publishes."""
