-- One row for each connected account, so that the Worker can verify a delivery without waking the object of the account.
CREATE TABLE accounts (id TEXT PRIMARY KEY, key_digest TEXT NOT NULL UNIQUE, signing_secret TEXT NOT NULL DEFAULT '', secret_generation INTEGER NOT NULL DEFAULT 0);
