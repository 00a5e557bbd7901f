-- Your own table. Encrypt keys and secrets as your other secrets are. The tables of the mirrors are made when they are first used.
CREATE TABLE IF NOT EXISTS customers (id text PRIMARY KEY, api_key text, signing_secret text);
