/**
 * Has a function find each row by its index, one after the other. Its plans are made while the tables are empty and nobody has counted
 * their rows, and are used while a first listing fills them: by their costs, PostgreSQL would compare every row of a page with every row
 * of the integration.
 */
export const BY_INDEX = [
  'SET enable_seqscan = off',
  'SET enable_hashjoin = off',
  'SET enable_mergejoin = off',
  'SET enable_material = off',
].join(' ')
