import { DatabaseSync } from 'node:sqlite'
import type { MirrorStore } from '@notewire/mirror'
import { betterSqlite, sqliteMirror } from '@notewire/mirror/sqlite'
import { memoryMirror } from '../../packages/mirror/fixtures/memory-mirror/memory-mirror.ts'
import type { StoreName } from '../simulation/history.ts'

/** The number of histories that share a database, in which they must be isolated. */
const HISTORIES_IN_A_DATABASE = 40

let shared: MirrorStore | undefined
let histories = 0

/** The store of one history. */
export function openStore(name: StoreName): MirrorStore {
  if (name === 'memory') return memoryMirror()
  histories += 1
  if (shared === undefined || histories % HISTORIES_IN_A_DATABASE === 0) {
    shared = sqliteMirror(betterSqlite(new DatabaseSync(':memory:')))
  }
  return shared
}
