"""Services of accounts: invitations, links, people."""
