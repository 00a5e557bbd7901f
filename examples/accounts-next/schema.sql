-- Your own table. Encrypt keys and secrets like your other secrets. The mirrors create their own tables.
CREATE TABLE IF NOT EXISTS customers (id text PRIMARY KEY, api_key text, signing_secret text, secret_generation bigint NOT NULL DEFAULT 0);
