/**
 * Settings of a function that make it look up each row by an index. PostgreSQL plans its statements while the tables are empty and have no
 * statistics, and uses these plans while a first listing fills the tables: by its cost estimates, it would compare every row of a page with
 * every row of the integration.
 */
export const BY_INDEX = [
  'SET enable_seqscan = off',
  'SET enable_hashjoin = off',
  'SET enable_mergejoin = off',
  'SET enable_material = off',
].join(' ')
