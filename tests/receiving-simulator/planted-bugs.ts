import type { StoreName } from '../simulation/history.ts'
import { type Patch, patchOf } from '../simulation/patch.ts'

/** A mistake that the simulator must find: the published code with a few lines changed. */
export interface PlantedBug {
  readonly name: string
  /** The mistake, as `tests/receiving-simulator/README.md` describes it. */
  readonly mistake: string
  readonly patches: { readonly [Store in StoreName]?: readonly Patch[] }
}

const memory = patchOf('webhooks/src/stores/memory-store.ts')
const claimRequest = patchOf('webhooks/src/processing/claim-request.ts')
const leased = patchOf('webhooks/src/processing/leased.ts')
const sqlite = patchOf('webhooks/src/stores/sqlite/sqlite-store.ts')
const lease = patchOf('webhooks/src/processing/lease.ts')
const statements = patchOf('webhooks/src/stores/sqlite/statements.ts')
const lookResult = patchOf('webhooks/src/stores/look-result.ts')

/** For the SQLite store: reads the rows of a request again. */
const READ_AGAIN = `const [[again] = []] = await driver.batch([lookStatement(request, Math.floor(clock.now()))], 'process')
           const known = knownEvent(again)`

const onBoth = (...patches: readonly Patch[]) => ({ memory: patches, sqlite: patches })

/** For the memory store: the claim with the fencing token of the current claim of its event. */
const CURRENT_CLAIM = `{
  ...claim,
  fencingToken: this.#rowsOf(claim.request.integration).events.get(claim.request.eventId)?.lease?.fencingToken ?? '',
}`

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'claim not atomic',
    mistake: 'The store reads the leases, and claims the event one millisecond later.',
    patches: {
      memory: [
        memory('  claim(request: ClaimRequest): ClaimResult {', '  async claim(request) {'),
        memory('    this.#claims += 1\n', '    await this.#clock.sleep(1)\n    this.#claims += 1\n'),
      ],
      sqlite: [
        sqlite(
          'const fencingToken = await write(request, { ...found.seen, leaseMs: request.leaseMs })',
          `await clock.sleep(1)
           ${READ_AGAIN}
           const fencingToken = await write(request, { ...known, leaseMs: request.leaseMs })`,
        ),
      ],
    },
  },
  {
    name: 'release without token',
    mistake: 'A worker that lost its claim releases the claim of the worker that took over.',
    patches: {
      memory: [
        memory(
          'if (this.#heldBy(claim) !== undefined) this.#endLease',
          `if (this.#heldBy(${CURRENT_CLAIM}) !== undefined) this.#endLease`,
        ),
      ],
      sqlite: [
        sqlite(
          'await writeHeld(releaseStatements(claim))',
          `const { integration, eventId, note } = claim.request
           const endLease = (table, id) => 'UPDATE ' + table + ' SET lease_ends_at = NULL WHERE integration = ? AND ' + id + ' = ?'
           await driver.batch([
             { sql: endLease('notewire_events', 'event_id'), parameters: [integration, eventId] },
             { sql: endLease('notewire_notes', 'note_id'), parameters: [integration, note?.noteId ?? null] },
           ], 'process')`,
        ),
      ],
    },
  },
  {
    name: 'commit before handler',
    mistake: 'The event is committed before its handler is called.',
    patches: onBoth(
      leased(
        'const outcome = await this.#handle(handler, claimed)',
        'await this.#options.store.commit(claimed.claim)\n    const outcome = await this.#handle(handler, claimed)',
      ),
      leased('? await this.#commit(claimed.claim, outcome)', '? outcome'),
    ),
  },
  {
    name: 'gate outside the commit',
    mistake:
      'The commit records the event as processed and ends the claim. It raises the revision one millisecond later.',
    patches: {
      memory: [
        memory('  commit(claim: Claim): CommitResult {', '  async commit(claim) {'),
        memory(
          '    if (note !== undefined && claimed?.change !== undefined) {\n',
          `    this.#endLease(claim)
           await this.#clock.sleep(1)
           if (note !== undefined && claimed?.change !== undefined) {
             const { notes } = this.#rowsOf(claim.request.integration)
             if (!notes.has(claimed.noteId)) notes.set(claimed.noteId, note)
          `,
        ),
        memory('    this.#endLease(claim)\n    if (this.#recordCount', '    if (this.#recordCount'),
      ],
      sqlite: [
        sqlite(
          "return (await writeHeld(commitStatements(claim, now()), 'power-cut')) ? 'committed' : 'lost'",
          `const { request, applied } = claim
           const { note, ...others } = request
           const withoutChange = { ...claim, request: { ...others, note: note && { noteId: note.noteId } } }
           if (!(await writeHeld(commitStatements(withoutChange, now())))) return 'lost'
           await clock.sleep(1)
           ${READ_AGAIN}
           await write(request, { ...known, keepMs: request.keepMs, applied, change: note?.change })
           return 'committed'`,
        ),
      ],
    },
  },
  {
    name: 'lease never expiring',
    mistake: 'The claims of a crashed worker never expire.',
    patches: {
      memory: [
        memory('return isWithin(row?.lease?.endsAt, now, now + 2 * leaseMs)', 'return row?.lease !== undefined'),
        memory('    if (!isWithin(row.lease?.endsAt, now)) row.lease = undefined\n', ''),
      ],
      sqlite: [
        statements(
          'const isLive = (row: string) => `coalesce(',
          'const isLive = (row: string) => `coalesce(event.lease_ends_at IS NOT NULL OR note.lease_ends_at IS NOT NULL OR ',
        ),
      ],
    },
  },
  {
    name: 'acknowledgement while busy',
    mistake: 'The receiver answers 204 for an event that another worker is processing.',
    patches: onBoth({
      file: 'webhooks/src/delivering/answer.ts',
      find: "return answerError('busy')",
      replace: 'return PROCESSED',
    }),
  },
  {
    name: 'unhandled kind raising the gate',
    mistake: 'An event without a handler raises the revision of its note.',
    patches: onBoth(claimRequest('note: hasHandler ? noteOf(event) : undefined', 'note: noteOf(event)')),
  },
  {
    name: 'integration left out of the key',
    mistake: 'Two integrations that share a store also share their notes and events.',
    patches: {
      memory: [memory('#rowsOf(integration: string): Rows {\n', "#rowsOf(integration) {\n    integration = ''\n")],
      sqlite: [
        sqlite(
          'driver.batch(statements, outlives)',
          `driver.batch(statements.map(({ sql, parameters }) => ({
             sql,
             parameters: parameters.map((each) => (each === 'personal' || each === 'channel' ? '' : each)),
           })), outlives)`,
        ),
      ],
    },
  },
  {
    name: 'ON CONFLICT … WHERE NOT EXISTS re-claiming a processed event',
    mistake:
      'The claim uses values that it read before it waited for the lock on the row, as PostgreSQL does under READ COMMITTED.',
    patches: {
      sqlite: [
        sqlite(
          "if (found.status !== 'new') return found",
          `if (found.status === 'busy') {
             await clock.sleep(2)
             ${READ_AGAIN}
             const token = known.isLeased ? undefined : await write(request, { ...known, leaseMs: request.leaseMs })
             if (token === undefined) return found
             return { status: 'claimed', claim: { request, fencingToken: token, applied: known.applied } }
           }
           if (found.status !== 'new') return found`,
        ),
      ],
    },
  },
  {
    name: 'commit without token',
    mistake: 'A worker commits its event although another worker has claimed it.',
    patches: {
      memory: [memory('const held = this.#heldBy(claim)', `const held = this.#heldBy(${CURRENT_CLAIM})`)],
      sqlite: [
        sqlite(
          "return (await writeHeld(commitStatements(claim, now()), 'power-cut'))",
          `const { request } = claim
           ${READ_AGAIN}
           if (!known.isLeased) return 'lost'
           const [fencingToken = ''] = (known.eventVersion ?? '').split(' ')
           return (await writeHeld(commitStatements({ ...claim, fencingToken }, now()), 'power-cut'))`,
        ),
      ],
    },
  },
  {
    name: 'claim not renewed',
    mistake: 'The lease expires while the handler runs.',
    patches: onBoth(leased('lease = new Lease(claimed, store, clock)', 'lease = undefined')),
  },
  {
    name: 'replay held back by the gate',
    mistake: 'The revision gate rejects an event after `forget`.',
    patches: onBoth(lookResult('if (!isProcessed && note?.change', 'if (note?.change')),
  },
  {
    name: 'deletion forgotten',
    mistake:
      'The store does not record that a note was deleted at its revision, so an update at the same revision passes.',
    patches: {
      memory: [
        memory(
          'raiseRevision(claim.applied, claimed.change)',
          '{ ...raiseRevision(claim.applied, claimed.change), deleted: false }',
        ),
      ],
      sqlite: [statements('raiseRevision(applied, change)', '{ ...raiseRevision(applied, change), deleted: false }')],
    },
  },
  {
    name: 'second deletion ignored',
    mistake:
      'After a deletion, only a higher revision passes. The receiver ignores a second loss of access at the same revision.',
    patches: onBoth(
      lookResult(
        "passRevisionGate(gate, note.change, applied) === 'stale'",
        `((applied?.deleted && note.change.kind === 'note.deleted' && note.change.revision === applied.revision) ||
          passRevisionGate(gate, note.change, applied) === 'stale')`,
      ),
    ),
  },
  {
    name: 'earlier event after a deletion',
    mistake: 'After a deletion, every event at its revision passes, even one that occurred before the deletion.',
    patches: {
      memory: [
        memory(
          'raiseRevision(claim.applied, claimed.change)',
          '{ ...raiseRevision(claim.applied, claimed.change), deletedAt: -Infinity }',
        ),
      ],
      sqlite: [
        statements(
          'raiseRevision(applied, change)',
          '{ ...raiseRevision(applied, change), deletedAt: -8_640_000_000_000_000 }',
        ),
      ],
    },
  },
  {
    name: 'deletion without a revision refused',
    mistake: 'The receiver answers 400 for a `note.deleted` without a revision. This bug was in the receiver.',
    patches: onBoth({
      file: 'webhooks/src/delivering/event-in.ts',
      find: 'const { event, drift } = readEventWithDrift(value)',
      replace: `const { event, drift } = readEventWithDrift(value)
    if (event.event_type === 'note.deleted' && event.data.revision === undefined) throw new Error('no revision')`,
    }),
  },
  {
    name: 'deletion without a revision ended by a revision',
    mistake:
      'After a `note.deleted` without a revision, every event at a higher revision passes, even one that occurred before the deletion.',
    patches: {
      memory: [
        memory(
          'raiseRevision(claim.applied, claimed.change)',
          '{ ...raiseRevision(claim.applied, claimed.change), deletedAtAnyRevision: false }',
        ),
      ],
      sqlite: [
        statements(
          'raiseRevision(applied, change)',
          '{ ...raiseRevision(applied, change), deletedAtAnyRevision: false }',
        ),
      ],
    },
  },
  {
    name: 'acknowledgement at the deadline',
    mistake: 'The receiver answers 204 for a handler that is still running after 8 s.',
    patches: onBoth({
      file: 'webhooks/src/delivering/responder.ts',
      find: "return answerError('overdue')",
      replace: "return answerTo({ status: 'applied', event })",
    }),
  },
  {
    name: 'renewal that never ends',
    mistake: 'The receiver renews a claim for ever, even after the handler has ended.',
    patches: onBoth(
      lease('    this.#claimed.run.alarm.clear(this.#renew)\n', ''),
      lease('    if (monotonicNow(this.#clock) >= this.#expiresAt) this.#lose()\n    else {', '    {'),
    ),
  },
]
