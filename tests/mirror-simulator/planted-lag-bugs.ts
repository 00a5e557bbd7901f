import { patchOf } from '../simulation/patch.ts'
import type { PlantedBug } from './planted-bugs.ts'

const reading = patchOf('mirror/src/rules/read-rule.ts')
const hinting = patchOf('mirror/src/rules/hint-rule.ts')
const refreshing = patchOf('mirror/src/refreshing/refresher.ts')
const floors = patchOf('mirror/src/rules/deletion-floor.ts')
const contradicting = patchOf('mirror/src/rules/contradiction.ts')

/** Mistakes that the simulator must find where replicas of the service lag (open points 35 and 36). */
export const plantedByLag: readonly PlantedBug[] = [
  {
    name: 'the floor of a deletion dropped',
    mistake: 'The revision and the time of an announced deletion are not kept.',
    patches: [
      hinting(
        '      floor: floorAfter(marked, hint, at),\n',
        '      floor: floorAfter === undefined ? marked.floor : null,\n',
      ),
    ],
  },
  {
    name: 'a floor that does not bind listings',
    mistake: 'A listed record below the revision of an announced deletion, or at it, shows the note again.',
    patches: [
      floors(
        "switch (state.floor === null ? 'current'",
        "switch (state.floor === null || stamp.source !== 'read' ? 'current'",
      ),
    ],
  },
  {
    name: 'a floor forgotten after a confirmed absence',
    mistake: 'The read that confirms a deletion takes its floor away.',
    patches: [reading("const ERASED = { presence: 'gone', ", "const ERASED = { presence: 'gone', floor: null, ")],
  },
  {
    name: 'a floor that does not wait for the lag',
    mistake: 'A read at the revision of an announced deletion shows the note again, however soon it began.',
    patches: [floors("? 'current' : 'may_lag'", "? 'current' : 'current'")],
  },
  {
    name: 'content that settles at once',
    mistake:
      'Content of a lower revision, or of none, is settled by one more read of its note, however young the record is.',
    patches: [
      refreshing(
        'if (mayContentLag(state, note, asked)) return',
        'if (mayContentLag(state, note, asked) && start < 0) return',
      ),
    ],
  },
  {
    name: 'a contradiction that is not counted',
    mistake: 'Reads that show a lower revision than before are not known as a contradiction.',
    patches: [
      contradicting(
        'const contradictedSince = trustedTime(state.contradictedSince ?? at, at)',
        'const contradictedSince = trustedTime(at, at) > 0 ? null : at',
      ),
    ],
  },
]
