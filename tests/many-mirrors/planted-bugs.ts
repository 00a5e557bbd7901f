import { type Patch, patchOf } from '../simulation/patch.ts'

/** A bug in the schedule of many integrations that the histories must detect. */
export interface PlantedBug {
  readonly name: string
  readonly mistake: string
  readonly patches: readonly Patch[]
}

const keeping = patchOf('mirror/fixtures/memory-mirror/integrations-in-memory.ts')
const ordering = patchOf('mirror/src/integrations/taking-order.ts')
const scheduling = patchOf('mirror/src/rules/schedule-rule.ts')
const pausing = patchOf('mirror/src/engine/shared-pauses.ts')
const parking = patchOf('mirror/src/engine/parking.ts')
const removing = patchOf('mirror/src/engine/removal.ts')
const readingCopy = patchOf('mirror/src/reader/mirror-reader.ts')
const storing = patchOf('mirror/fixtures/memory-mirror/memory-mirror.ts')

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a hint wakes another integration',
    mistake: 'A hint makes every integration due.',
    patches: [
      storing(
        "if (outcome === 'committed' && hintDueAt !== undefined) many.wakeByHint(integration, hintDueAt)",
        "if (outcome === 'committed' && hintDueAt !== undefined) for (const one of await many.list({ after: '', limit: 99 })) many.wakeByHint(one.record.integration, hintDueAt)",
      ),
    ],
  },
  {
    name: "a job's later time overwrites a hint's",
    mistake: 'A worker that ends its slice writes its computed time, although a hint arrived meanwhile.',
    patches: [scheduling('if (record.hints === taken.hints) return', 'if (taken.hints >= 0) return')],
  },
  {
    name: 'a worker that lost its lease still commits',
    mistake: 'A commit is fenced by the generation alone.',
    patches: [keeping('|| (token !== undefined && token !== row.token)', '')],
  },
  {
    name: 'a removed integration is restored',
    mistake: 'A removal begins no new generation, so that a worker can commit the work that it has begun.',
    patches: [
      scheduling(
        'newIntegration(record.integration, generation, now)',
        'newIntegration(record.integration, record.generation, now)',
      ),
    ],
  },
  {
    name: 'a worker of a removed copy writes to the copy that was added since',
    mistake: 'Only version and hints are compared with those that were read, which another copy can have, too.',
    patches: [keeping('known?.generation === read?.generation && known?.version', 'known?.version')],
  },
  {
    name: 'a second removal erases nothing',
    mistake:
      'The first notes of the feed are taken for those that are not erased yet, although an earlier removal may have erased them.',
    patches: [
      removing('{ notErasedAfter: after, limit: ERASE_BATCH_SIZE }', '{ changedAfter: 0, limit: ERASE_BATCH_SIZE }'),
      removing(
        'noteIdsOf(await store.listStates(integration, query))',
        "noteIdsOf((await store.listStates(integration, query)).filter(({ state }) => state.presence !== 'gone' || state.evidence !== null))",
      ),
    ],
  },
  {
    name: 'a removal keeps the listings',
    mistake: 'An account that takes the place of another continues with its key and its listings.',
    patches: [removing('progressAlone(NO_PROGRESS)', '{ known: [], decide: () => ({}) }')],
  },
  {
    name: 'a schedule that a wrong clock wrote holds',
    mistake: 'A due time is believed, however far ahead it is.',
    patches: [
      scheduling('record.dueAt !== null && isPast(record.dueAt, now)', 'record.dueAt !== null && record.dueAt <= now'),
    ],
  },
  {
    name: 'a lease that a wrong clock wrote holds',
    mistake: 'A lease is believed, however far ahead it ends, if it is shorter than a day.',
    patches: [ordering('return now + 2 * (until - now)', 'return until - now + 1e15')],
  },
  {
    name: 'limits of three keys stop all',
    mistake: 'A service is paused for an hour when it has refused three integrations.',
    patches: [
      pausing('MIN_REFUSED = 10', 'MIN_REFUSED = 3'),
      pausing('PAUSE_MS = 60_000', 'PAUSE_MS = 3_600_000'),
      pausing('PROBE_EVERY_MS = 10_000', 'PROBE_EVERY_MS = 3_600_000'),
    ],
  },
  {
    name: 'a refused key is never tried again',
    mistake: 'No probe follows the refusal of a key.',
    patches: [parking("if (parkedBecause !== 'key_refused') return", "if (parkedBecause !== 'key_changed') return")],
  },
  {
    name: 'a probe undoes a resume',
    mistake: 'A resumed integration keeps the lease of the worker that probes its key.',
    patches: [scheduling('token: record.token + 1, leaseUntil: null', 'leaseUntil: null')],
  },
  {
    name: 'a copy that is listed for ever',
    mistake: 'The list of the mirror begins again after each page, so that it never ends.',
    patches: [readingCopy('      after = last.state.noteId\n', '')],
  },
]
