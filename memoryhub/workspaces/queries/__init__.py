"""What pages ask of workspaces, their files and their health."""
