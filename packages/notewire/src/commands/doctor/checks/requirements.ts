// The sections of the contract, and the fixes, that several checks of effects name.

export const DUPLICATES = '§6, delivery semantics 1'
export const ORDER = '§6, delivery semantics 2'
export const DELETIONS = '§6, delivery semantics 3'
export const RULE_6 = '§5, receiver rule 6'

export const STORE_EVENT_IDS =
  'Store event_id under a unique key in the transaction that applies the event, for every kind of event, for more than 27 h. A list in memory is lost at a restart and is not shared between processes.'

export const COMPARE_REVISIONS =
  'Store the last applied revision of each note as a number, and only write if the new one is higher (UPDATE … WHERE revision < $1).'
