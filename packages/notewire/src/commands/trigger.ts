import { Argument, Option } from '@commander-js/extra-typings'
import { ENDPOINT_EVENT_KINDS, type EventKind, NOTE_EVENT_KINDS } from '@notewire/protocol'
import { text } from '../configuration/value-readers.ts'
import type { Run } from '../context/context.ts'
import { EXIT_CODES, UsageError } from '../errors/failure.ts'
import { wrap } from '../terminal/width.ts'
import { control, MOCK_URL } from './mock-control.ts'
import { newCommand } from './new-command.ts'

const TIMING: Readonly<Partial<Record<EventKind, string>>> = {
  'note.ended': 'It is sent at once; note.summary.generated follows in 5 to 30 s.',
  'note.summary.generated': 'note.ended is sent at once, and this event follows in 5 to 30 s.',
  'note.updated': 'It is sent 5 s after the last edit.',
}

interface Triggered {
  readonly event_type: EventKind
  readonly note_id?: string
  readonly endpoint_ids?: readonly string[]
}

export const command = (run: Run) =>
  newCommand({
    description:
      'Makes an event happen at a mock server that was started with notewire mock, as the owner of its notes would: records and ends a note, edits it, deletes it. The server signs and delivers the event, with all its retries.',
    settings: ['baseUrl'],
    examples: {
      'trigger note.ended': 'a new note, whose recording ends',
      'trigger note.updated --note <id> --title "Stand-up"': 'edit a note',
      'trigger note.deleted --reason access_lost': 'a note that the key can no longer access',
    },
    next: 'The console, or the terminal of notewire listen, shows the delivery.',
  })
    .addArgument(new Argument('<event-kind>', 'which event').choices([...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS]))
    .option('--note <id>', 'the note of the event (default: a new note)', text)
    .option('--title <text>', 'the title of the new note, or after the edit', text)
    .addOption(
      new Option('--reason <why>', 'the reason of note.deleted (default: deleted)').choices([
        'deleted',
        'access_lost',
      ] as const),
    )
    .option('--endpoint <id>', 'the endpoint of endpoint.* (default: every endpoint)', text)
    .option('--settle', 'advance a virtual clock until nothing is pending')
    .action(
      run(async ({ settings, signal, output }, kind, { settle, note, title, reason, endpoint }) => {
        rejectUnusedOptions(kind, { note, title, reason, endpoint })
        const baseUrl = (await settings.find('baseUrl')) ?? MOCK_URL
        const wanted = { event_type: kind, note_id: note, title, reason, endpoint_id: endpoint }
        const triggered = await control<Triggered>(baseUrl, '/control/trigger', wanted, signal)
        if (settle) await control(baseUrl, '/control/clock/settle', {}, signal)
        const about = triggered.note_id ?? triggered.endpoint_ids?.join(', ') ?? ''
        await output.print(triggered, wrap(`${output.paint('bold', kind)} about ${about}`, output.width))
        output.tell(
          `${TIMING[kind] ?? 'It is sent at once.'} Its deliveries: ${new URL(baseUrl).origin}/console/deliveries`,
        )
        return EXIT_CODES.done
      }),
    )

/** Rejects options that have no effect for this kind. */
function rejectUnusedOptions(
  kind: EventKind,
  { note, title, reason, endpoint }: Readonly<Record<'note' | 'title' | 'reason' | 'endpoint', string | undefined>>,
): void {
  const isAboutNote = kind.startsWith('note.')
  if (reason !== undefined && kind !== 'note.deleted') throw new UsageError('--reason is for note.deleted. Omit it.')
  if (endpoint !== undefined && isAboutNote) {
    const message = '--endpoint is for endpoint.*: every subscribed endpoint gets the events about notes. Omit it.'
    throw new UsageError(message)
  }
  if ((note ?? title) !== undefined && !isAboutNote)
    throw new UsageError('--note and --title are for note.*. Omit them.')
  if (note !== undefined && title !== undefined && kind !== 'note.updated') {
    throw new UsageError('--title works only for a new note or with note.updated. Omit --title or --note.')
  }
}
