import { memoryStore } from '@notewire/webhooks'
import type { Database } from './database.ts'
import { rowOf } from './handler-call.ts'
import type { HistoryContext } from './history-context.ts'

/** `memoryStore` and rows in memory, which processes call over a simulated network. */
export function memoryDatabase(context: HistoryContext): Database {
  const rows: string[] = []
  return {
    store: memoryStore({ clock: context.schedule.clock(0) }),
    write: (call) => void rows.push(rowOf(call)),
    rows: () => rows,
  }
}
