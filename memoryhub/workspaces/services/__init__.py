"""Services of workspaces and of whole files."""
