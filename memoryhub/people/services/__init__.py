"""Services for people's own data, sign-in and tokens."""
