import type { StoreName } from '../simulation/history.ts'
import { type Patch, patchOf } from '../simulation/patch.ts'

/** A mistake that the simulator must find: the published code with a few lines changed. */
export interface PlantedBug {
  readonly name: string
  /** The mistake, as `docs/receiving-proof.md` describes it. */
  readonly mistake: string
  readonly patches: { readonly [Store in StoreName]?: readonly Patch[] }
}

const memory = patchOf('webhooks/src/stores/memory-store.ts')
const claimRequest = patchOf('webhooks/src/processing/claim-request.ts')
const processor = patchOf('webhooks/src/processing/processor.ts')
const sqlite = patchOf('webhooks/src/stores/sqlite/sqlite-store.ts')
const claiming = patchOf('webhooks/src/stores/sqlite/claiming.ts')
const ending = patchOf('webhooks/src/stores/sqlite/ending.ts')

const onBoth = (...patches: readonly Patch[]) => ({ memory: patches, sqlite: patches })

/** For the memory store: the claim with the fencing token of the current claim of its event. */
const CURRENT_CLAIM = `{
  ...claim,
  fencingToken: this.#memoryOf(claim.request.integration).events.get(claim.request.eventId)?.lease?.fencingToken ?? '',
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
          "return readClaim(await batch(claimStatements(request, now()), 'process'), request)",
          `const rows = []
           for (const statement of claimStatements(request, now())) {
             const sql = statement.sql.replace('AND changes() = 1', 'AND lease_ends_at IS NOT NULL')
             rows.push(...(await batch([{ ...statement, sql }], 'process')))
             await clock.sleep(1)
           }
           return readClaim(rows, request)`,
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
          'const held = this.#heldBy(claim)\n    if (held !== undefined) this.#endLease',
          `const held = this.#heldBy(${CURRENT_CLAIM})\n    if (held !== undefined) this.#endLease`,
        ),
      ],
      sqlite: [
        ending(
          'ifCurrent(RELEASE, [], claim)',
          `{
             sql: 'UPDATE notewire_events SET lease_ends_at = NULL WHERE integration = ? AND event_id = ? RETURNING event_id',
             parameters: [claim.request.integration, claim.request.eventId],
           }`,
        ),
      ],
    },
  },
  {
    name: 'commit before handler',
    mistake: 'The event is committed before its handler is called.',
    patches: onBoth(
      processor(
        'const end = await this.#handlers.run(handler, claimed)',
        'await this.#options.store.commit(claimed.claim)\n    const end = await this.#handlers.run(handler, claimed)',
      ),
      processor(
        "return end.status === 'returned' ? await this.#commit(claim, outcome)",
        "return end.status === 'returned' ? outcome",
      ),
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
          '    if (note !== undefined && claimedNote?.change !== undefined) {\n',
          `    this.#endLease(claim, held)
           await this.#clock.sleep(1)
           if (note !== undefined && claimedNote?.change !== undefined) {
             const { notes } = this.#memoryOf(claim.request.integration)
             if (!notes.has(claimedNote.noteId)) notes.set(claimedNote.noteId, note)
          `,
        ),
        memory('    this.#endLease(claim, held)\n    if (this.#recordCount', '    if (this.#recordCount'),
      ],
      sqlite: [
        sqlite(
          "return commitResult(await batch(commitStatements(claim, now()), 'power-cut'))",
          `const [mark, ...others] = commitStatements(claim, now())
           const endLease = releaseStatements(claim).slice(1)
           const rows = await batch([mark, ...endLease], 'power-cut')
           await clock.sleep(1)
           const raise = others.map((each) => ({ ...each, sql: each.sql.replace('AND changes() = 1', '') }))
           if (hasRow(rows) && raise.length > 0) await batch(raise, 'power-cut')
           return commitResult(rows)`,
        ),
      ],
    },
  },
  {
    name: 'lease never expiring',
    mistake: 'The claims of a crashed worker never expire.',
    patches: {
      memory: [memory('return lease !== undefined && lease.endsAt > now', 'return lease !== undefined')],
      sqlite: [
        claiming(
          'WHEN event.lease_ends_at > now AND',
          'WHEN event.lease_ends_at IS NOT NULL OR note.lease_ends_at IS NOT NULL OR event.lease_ends_at > now AND',
        ),
      ],
    },
  },
  {
    name: 'acknowledgement while busy',
    mistake: 'The receiver answers 204 for an event that another worker is processing.',
    patches: onBoth({
      file: 'webhooks/src/delivering/answer.ts',
      find: 'return answers.busy',
      replace: 'return answers.processed',
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
      memory: [
        memory(
          'let memory = this.#integrations.get(integration)',
          "integration = ''\n    let memory = this.#integrations.get(integration)",
        ),
      ],
      sqlite: [
        claiming(
          'const { integration, eventId, note } = request',
          "const { eventId, note } = request\n  const integration = ''",
        ),
        ending(
          '{ request: { integration, eventId, note }, fencingToken }: Claim,',
          '{ request: { eventId, note }, fencingToken }: Claim, integration = "",',
        ),
        ending('{ request: { integration, note } }: Claim,', '{ request: { note } }: Claim, integration = "",'),
        ending('parameters: [claim.request.integration, note.noteId,', "parameters: ['', note.noteId,"),
        ending('parameters: [now, integration, eventId]', "parameters: [now, '', eventId]"),
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
          "return readClaim(await batch(claimStatements(request, now()), 'process'), request)",
          `const snapshot = await batch(claimStatements(request, now()).slice(-1), 'process')
           const { status } = readClaim([[], ...snapshot], request)
           if (status !== 'busy') return readClaim([[], ...snapshot], request)
           await clock.sleep(2)
           const byTheSnapshot = claimStatements(request, now()).map((statement) => ({
             ...statement,
             sql: statement.sql.replace('WHEN event.processed_at IS NOT NULL AND', 'WHEN FALSE AND'),
           }))
           return readClaim(await batch(byTheSnapshot, 'process'), request)`,
        ),
      ],
    },
  },
  {
    name: 'commit without token',
    mistake: 'A worker commits its event although another worker has claimed it.',
    patches: {
      memory: [
        memory(
          "const held = this.#heldBy(claim)\n    if (held === undefined) return 'lost'\n    const { event, note }",
          `const held = this.#heldBy(${CURRENT_CLAIM})\n    if (held === undefined) return 'lost'\n    const { event, note }`,
        ),
      ],
      sqlite: [
        ending(
          '= ? AND fencing_token = ? AND lease_ends_at IS NOT NULL',
          '= ? AND fencing_token >= ? AND lease_ends_at IS NOT NULL',
        ),
      ],
    },
  },
  {
    name: 'claim not renewed',
    mistake: 'The lease expires while the handler runs.',
    patches: onBoth({
      file: 'webhooks/src/processing/handler-run.ts',
      find: '    if (!claimed.isCommitted) keepLease({ ...this.#tools, alarm }, claimed)\n',
      replace: '',
    }),
  },
  {
    name: 'replay held back by the gate',
    mistake: 'The revision gate rejects an event after `forget`.',
    patches: {
      memory: [memory('isProcessed ? undefined : note?.change', 'note?.change')],
      sqlite: [claiming('WHEN event.processed_at IS NULL AND (', 'WHEN (')],
    },
  },
  {
    name: 'deletion forgotten',
    mistake:
      'The store does not record that a note was deleted at its revision, so an update at the same revision passes.',
    patches: {
      memory: [
        memory(
          'raiseRevision(note.applied, claimedNote.change)',
          '{ ...raiseRevision(note.applied, claimedNote.change), deleted: false }',
        ),
      ],
      sqlite: [ending("Number(kind === 'note.deleted')", 'Number(false)')],
    },
  },
  {
    name: 'second deletion ignored',
    mistake:
      'After a deletion, only a higher revision passes. The receiver ignores a second loss of access at the same revision.',
    patches: {
      memory: [
        memory(
          "passRevisionGate(gate, change, applied) === 'stale'",
          `((applied.deleted && change.kind === 'note.deleted' && change.revision === applied.revision) ||
            passRevisionGate(gate, change, applied) === 'stale')`,
        ),
      ],
      sqlite: [claiming('WHEN note.deleted THEN passes_if_later', 'WHEN note.deleted THEN 0')],
    },
  },
  {
    name: 'earlier event after a deletion',
    mistake: 'After a deletion, every event at its revision passes, even one that occurred before the deletion.',
    patches: {
      memory: [
        memory(
          'raiseRevision(note.applied, claimedNote.change)',
          '{ ...raiseRevision(note.applied, claimedNote.change), deletedAt: -Infinity }',
        ),
      ],
      sqlite: [claiming(' > note.deletion_occurred_at', ' IS NOT NULL')],
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
          'raiseRevision(note.applied, claimedNote.change)',
          '{ ...raiseRevision(note.applied, claimedNote.change), deletedAtAnyRevision: false }',
        ),
      ],
      sqlite: [ending('ELSE excluded.revision IS NULL OR note.deleted AND', 'ELSE 0 AND')],
    },
  },
  {
    name: 'acknowledgement at the deadline',
    mistake: 'The receiver answers 204 for a handler that is still running after 8 s.',
    patches: onBoth({
      file: 'webhooks/src/delivering/responder.ts',
      find: 'return answers.overdue',
      replace: 'return answers.processed',
    }),
  },
  {
    name: 'lost renewal taken for a commit',
    mistake:
      'If a claim cannot be renewed after the handler, the event counts as committed, although another worker may have claimed it. This bug was in the receiver until the simulator found it.',
    patches: onBoth(
      processor(
        "const answer = await this.#options.store.claim(claim.request)\n    if (answer.status === 'duplicate')",
        "const answer = { status: await this.#options.store.renew(claim, LEASE_MS) }\n    if (answer.status === 'lost')",
      ),
    ),
  },
]
