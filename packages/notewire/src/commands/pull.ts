import { CLIENT_SETTINGS } from '../notes-client.ts'
import { type PullWishes, pullNotes, showPull, USUAL_WISHES } from '../pulling/pull-notes.ts'
import { UsageError } from '../usage-error.ts'
import { defineCommand } from './command.ts'
import { flag, option } from './declarations.ts'
import { duration } from './value-readers.ts'

/** `notewire pull`. */
export const pull = defineCommand({
  description:
    'Copies every note that the key can see, with transcript and summary, into an SQLite file of yours alone, and brings it up to date from then on. It can be interrupted at any moment: the next pull goes on from there. Once a day it also lists everything, to find what was deleted.',
  options: {
    scan: flag('--scan', 'look for deletions now'),
    wait: option(
      '--wait <time>',
      'how long to wait for what cannot be read yet',
      duration,
      USUAL_WISHES.patienceMs,
      '2m',
    ),
    acceptRemovals: flag('--accept-removals', 'remove what is held back because it is so much'),
    yes: flag('-y, --yes', 'with --accept-removals: do not ask'),
    adoptKey: flag('--adopt-key', 'go on with a new key that sees the same notes'),
  },
  settings: [...CLIENT_SETTINGS, 'notesField', 'database'],
  examples: [
    ['pull', 'into notes.db, from where the environment says'],
    ['pull --scan --json', 'for a cron job: everything, deletions included, and one report'],
  ],
  next: 'notewire search <words>, notewire export <folder>, or your own SQL: the view notewire_live_notes in notes.db has all of it.',
  async run({ options: { scan, wait, adoptKey, acceptRemovals, yes }, ...surroundings }) {
    if (yes && !acceptRemovals) throw new UsageError('--yes answers the question of --accept-removals. Add that.')
    if (acceptRemovals && !yes && !surroundings.prompts.available) {
      throw new UsageError('nobody can be asked whether to remove notes. Pass --yes to remove them unasked.')
    }
    const wishes: PullWishes = { scan, patienceMs: wait, adoptKey, removals: removalsOf(acceptRemovals, yes) }
    return await showPull(await pullNotes(wishes, surroundings), surroundings)
  },
})

function removalsOf(isWanted: boolean, isAgreed: boolean): PullWishes['removals'] {
  if (!isWanted) return 'hold'
  return isAgreed ? 'accept' : 'ask'
}
