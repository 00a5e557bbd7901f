import type { RequestFault } from '../faults/fault-rule.ts'
import type { Contract } from '../variants/contract-variants.ts'
import type { Integration } from '../world/integration.ts'
import type { World } from '../world/world.ts'
import type { Cursors, Position } from './cursor.ts'
import { readNoteQuery } from './note-query.ts'
import { noteResource } from './note-resources.ts'

/** A fault of one page of the list. */
export type PageFault = Extract<RequestFault, { readonly kind: 'empty_page' | 'short_page' }>

interface PageRequest {
  readonly query: Readonly<Record<string, string>>
  readonly world: World
  readonly integration: Integration
  readonly fault: PageFault | undefined
}

interface PageParts {
  readonly cursors: Cursors
  readonly contract: Contract
}

const BEGINNING: Position = { after: -1, emptyPages: 0 }

/**
 * One page of the list of notes (contract §4; open points 1, 5, 6 and 7).
 *
 * @throws a 400 for a query that cannot be read
 */
export function notePage({ cursors, contract }: PageParts, { query, world, integration, fault }: PageRequest): object {
  const { limit, updatedFrom, includeDeleted } = readNoteQuery(query, contract)
  const cursor = query['cursor']
  const position = cursor === undefined ? BEGINNING : cursors.read(cursor, integration)
  const page = (notes: readonly object[], next: { readonly next_cursor?: string | null }, has_more: boolean) => ({
    [contract.notesField]: notes,
    ...next,
    has_more,
  })

  const emptyPageIsDue = contract.emptyPages && cursor !== undefined && position.emptyPages === 0
  if (emptyPageIsDue || fault?.kind === 'empty_page') {
    const again = { ...position, emptyPages: position.emptyPages + 1 }
    return page([], { next_cursor: cursors.write(again, integration) }, true)
  }

  const most = fault?.kind === 'short_page' ? Math.min(limit, fault.notes ?? 1) : limit
  const { places } = integration
  const found = world.notes.list({ places, after: position.after, limit: most, updatedFrom, includeDeleted })
  const notes = found.notes.map((note) => noteResource(note, contract))
  if (contract.repeatingCursor && cursor !== undefined) return page(notes, { next_cursor: cursor }, true)
  const last = found.notes.at(-1)
  if (!found.hasMore || last === undefined) return page(notes, lastCursor(contract), false)
  return page(notes, { next_cursor: cursors.write({ after: last.sequence, emptyPages: 0 }, integration) }, true)
}

function lastCursor({ lastCursor }: Contract): { readonly next_cursor?: string | null } {
  switch (lastCursor) {
    case 'null':
      return { next_cursor: null }
    case 'empty':
      return { next_cursor: '' }
    case 'absent':
      return {}
  }
}
