-- One row for each connected account: enough to verify a delivery before its object is woken.
CREATE TABLE accounts (id TEXT PRIMARY KEY, key_digest TEXT NOT NULL UNIQUE, signing_secret TEXT NOT NULL DEFAULT '');
