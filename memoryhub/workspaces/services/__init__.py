"""What people and agents do with workspaces and with files as such."""
