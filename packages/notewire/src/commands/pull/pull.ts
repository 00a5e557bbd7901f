import { duration } from '../../configuration/value-readers.ts'
import type { Run } from '../../context/context.ts'
import { newCommand } from '../new-command.ts'
import { pullNotes, showPull } from './pull-notes.ts'

export const command = (run: Run) =>
  newCommand({
    description:
      'Copies every note that the key can access, with transcript and summary, into an SQLite file that only you can read; later pulls update it. You can interrupt it at any moment: the next pull continues from there. Once a day it lists all notes, to find those that were deleted.',
    settings: ['baseUrl', 'apiKey', 'notesField', 'database', 'integration'],
    examples: {
      pull: 'into notes.db, from the service that NOTES_BASE_URL names',
      'pull --full-listing --json': 'for a cron job: everything, deletions included, and one report',
    },
    next: 'notewire search <words>, notewire export <folder>, or your own SQL: the view notewire_live_notes in notes.db contains every note.',
  })
    .option('--full-listing', 'look for deletions now')
    .option(
      '--wait <time>',
      'how long to wait for notes that cannot be read yet, and while the service lists pages without a new note (default: 2m)',
      duration,
    )
    .option('--accept-removals', 'remove the notes whose removal is held back')
    .option(
      '-y, --yes',
      'do not ask: remove notes with --accept-removals, or add tables to the file of another program',
    )
    .option('--purge', 'afterwards rewrite the file, without remains of erased notes')
    .option('--adopt-key', 'continue with a new key that sees the same notes')
    .action(
      run(async (context, { wait, ...options }) => {
        if (options.acceptRemovals && !options.yes) context.prompts.require('remove notes')
        return await showPull(await pullNotes({ ...options, patienceMs: wait }, context), context)
      }),
    )
