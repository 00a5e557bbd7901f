import { patchOf } from '../simulation/patch.ts'
import type { PlantedBug } from './planted-bugs.ts'

const absence = patchOf('mirror/src/rules/absence-rule.ts')
const hinting = patchOf('mirror/src/rules/hint-rule.ts')
const fetching = patchOf('mirror/src/fetching/fetch-note.ts')
const floors = patchOf('mirror/src/rules/deletion-floor.ts')
const contradicting = patchOf('mirror/src/rules/contradiction.ts')

/** Mistakes that the simulator must find where replicas of the service lag (open points 35 and 36). */
export const plantedByLag: readonly PlantedBug[] = [
  {
    name: 'the revision of a deletion event not stored',
    mistake: 'The revision and the arrival time of a deletion event are not stored.',
    patches: [
      hinting(
        '      floor: floorAfter(marked, hint, at),\n',
        '      floor: floorAfter === undefined ? marked.floor : null,\n',
      ),
    ],
  },
  {
    name: 'the revision of a deletion event ignored in listings',
    mistake: 'A listed record at or below the revision of a deletion event shows the note again.',
    patches: [
      floors(
        '  const { floor } = state\n  if (floor !== null && isBelow',
        "  const floor = stamp.source === 'read' ? state.floor : null\n  if (floor !== null && isBelow",
      ),
    ],
  },
  {
    name: 'the revision of a deletion event cleared by its confirmation',
    mistake: 'The read that confirms a deletion clears the revision of the deletion event.',
    patches: [absence("const ERASED = { presence: 'gone', ", "const ERASED = { presence: 'gone', floor: null, ")],
  },
  {
    name: 'no wait for the lag after a deletion event',
    mistake: 'A read at the revision of a deletion event shows the note again, however soon it was sent.',
    patches: [floors("return 'may_lag'", "return 'show'")],
  },
  {
    name: 'content that settles at once',
    mistake:
      'Content with a lower revision or without one settles after one more read of its note, however new the record is.',
    patches: [
      fetching(
        'mayContentLag(state, note, request)) return',
        'mayContentLag(state, note, request) && read.startSequence < 0) return',
      ),
    ],
  },
  {
    name: 'a contradiction that is not counted',
    mistake: 'Reads that show a lower revision than before are not counted as a contradiction.',
    patches: [
      contradicting(
        'const contradictedSince = trustedTime(state.contradictedSince ?? at, at)',
        'const contradictedSince = trustedTime(at, at) > 0 ? null : at',
      ),
    ],
  },
]
