"""What pages ask of topics, decisions and sessions."""
