import { ENDPOINT_EVENT_KINDS, type EventKind, NOTE_EVENT_KINDS } from '@notewire/protocol'
import { EXIT_CODES } from '../exit-code.ts'
import { ConsoleVisitor } from '../mock-console/console-visitor.ts'
import { trigger as triggerEvent } from '../mock-console/trigger.ts'
import { verifyAgain } from '../mock-console/verify-again.ts'
import { openClient } from '../notes-client.ts'
import { wrap } from '../terminal/width.ts'
import { UsageError } from '../usage-error.ts'
import { defineCommand } from './command.ts'
import { flag, option, required } from './declarations.ts'
import { oneOf, text } from './value-readers.ts'

/** Where `notewire mock` listens, unless told otherwise. */
const MOCK_URL = 'http://127.0.0.1:4010'

/** `notewire trigger`. */
export const trigger = defineCommand({
  description:
    'Makes an event happen at a service that was started with notewire mock, as its owner would: records and ends a note, edits it, deletes it. The event is a real one, and leaves signed, with all its retries. Only endpoint.verification needs the API key and the base URL to be set.',
  arguments: {
    kind: required('event-kind', 'which event', oneOf([...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS])),
  },
  options: {
    note: option('--note <id>', 'about this note (default: a new one)', text),
    title: option('--title <text>', 'the title of the new note, or after the edit', text),
    reason: option('--reason <why>', 'of note.deleted; without it, deleted', oneOf(['deleted', 'access_lost'])),
    endpoint: option('--endpoint <id>', 'of endpoint.* (default: every endpoint)', text),
    settle: flag('--settle', 'with a virtual clock: move it until all is quiet'),
  },
  settings: ['baseUrl', 'apiKey'],
  examples: [
    ['trigger note.ended', 'a new note, whose recording ends'],
    ['trigger note.updated --note <id> --title "Stand-up"', 'edit a note'],
    ['trigger note.deleted --reason access_lost', 'a note leaves the sight of the key'],
  ],
  next: 'See what became of it: in the console, or where notewire listen runs.',
  async run({ arguments: { kind }, options: { settle, ...wanted }, settings, clock, signal, output }) {
    refuseStrays(kind, wanted)
    const baseUrl = (await settings.find('baseUrl')) ?? MOCK_URL
    const visitor = new ConsoleVisitor(baseUrl, signal)
    const { timing, ...triggered } =
      kind === 'endpoint.verification'
        ? await verifyAgain(await openClient({ settings, clock }), wanted.endpoint, signal)
        : await triggerEvent({ kind, ...wanted, reason: wanted.reason ?? 'deleted' }, visitor)
    if (settle) await visitor.send('/console/clock/settle')
    const about = triggered.note_id ?? triggered.endpoint_ids?.join(', ') ?? ''
    await output.print(triggered, wrap(`${output.paint('bold', kind)} about ${about}`, output.width, ''))
    output.tell(`${timing} Its deliveries: ${new URL(baseUrl).origin}/console/deliveries`)
    return EXIT_CODES.done
  },
})

/** What would be ignored is more likely to be a mistake. */
function refuseStrays(
  kind: EventKind,
  { note, title, reason, endpoint }: Readonly<Record<'note' | 'title' | 'reason' | 'endpoint', string | undefined>>,
): void {
  const isAboutNote = kind.startsWith('note.')
  if (reason !== undefined && kind !== 'note.deleted') throw new UsageError('--reason goes with note.deleted.')
  if (endpoint !== undefined && isAboutNote) {
    throw new UsageError('--endpoint goes with endpoint.*: events about notes go to every endpoint that wants them.')
  }
  if ((note ?? title) !== undefined && !isAboutNote) throw new UsageError('--note and --title go with note.*.')
  if (note !== undefined && title !== undefined && kind !== 'note.updated') {
    throw new UsageError('--title is for a new note, or for note.updated. Leave it out, or --note.')
  }
}
