CREATE TABLE accounts (id text PRIMARY KEY, api_key text NOT NULL, signing_secret text);
CREATE TABLE notes (
  account_id text REFERENCES accounts ON DELETE CASCADE,
  note_id text,
  revision bigint NOT NULL,
  title text,
  transcript text,
  PRIMARY KEY (account_id, note_id)
);
