"""Quality of search on questions about long conversations, asked over HTTP."""
