import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NotesClient } from '@notewire/client'
import { createMirror } from '@notewire/mirror'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import { createNotesService } from '@notewire/mock-server'
import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import { compareWithService } from './compare.ts'
import { simulateDay } from './day.ts'
import { chapter, progressBar, say, table, title } from './narrator.ts'
import { startReceiver } from './receiver-app.ts'

const NOTES = 300
const NINE_O_CLOCK = Date.UTC(2026, 0, 1, 9)
await using resources = new AsyncDisposableStack()

title('Notewire: a notes service, and a mirror that stays up to date with it')
say(
  'Everything runs on this machine, over real sockets and on a real disk. The service has a virtual clock, so that a day',
)
say('takes seconds.')

chapter('Start a notes service')
// The tour advances the virtual clock. The mirror and its receiver use the same clock.
const service = resources.use(
  await createNotesService({ notes: NOTES, clock: 'virtual', contract: { verification: 'before_response' } }),
)
const { clock } = service
const { url: baseUrl } = await service.listen()
const client = new NotesClient({ baseUrl, apiKey: service.apiKey })
say(`It listens at ${baseUrl} with ${NOTES} notes. Our API key is ${client.keyId}; its secret is never shown.`)

chapter('Create a mirror in SQLite, and start its receiver on Express')
const folder = await mkdtemp(join(tmpdir(), 'notewire-tour-'))
resources.defer(() => rm(folder, { recursive: true }))
const store = sqliteMirror(join(folder, 'notes.db'), { clock })
resources.defer(async () => await store.close?.())
let onCopied: (() => void) | undefined
const mirror = createMirror({
  client,
  store,
  pollEveryMs: 15 * 60_000,
  hooks: { onProgress: ({ phase }) => phase === 'content' && onCopied?.() },
})
let signingSecret: string | undefined
const receiver = resources.use(await startReceiver(mirror, () => signingSecret))
say(`The receiver waits for deliveries at ${receiver.url}.`)

chapter('Register its endpoint')
const endpoint = await client.webhookEndpoints.create({ url: receiver.url, events: NOTE_EVENT_KINDS })
signingSecret = endpoint.signing_secret
say(
  `The status is ${endpoint.status}. The first verification arrived before the signing secret was known, so the receiver`,
)
say(`answered ${statusOfFirstAttempt()}. The service sends it again 30 s later.`)
const [active] = await Promise.all([
  client.webhookEndpoints.waitUntilActive(endpoint.endpoint_id),
  clock.advance('35s'),
])
say(`The status is ${active.status}.`)

chapter('Copy all notes')
const reading = progressBar('notes copied, with transcript and summary', NOTES)
onCopied = reading.step
await mirror.sync()
onCopied = undefined
reading.done()
const position = await endOfFeed()

chapter('Simulate a day at the service')
say(
  'Sessions end, summaries are generated, titles are edited, notes are deleted and moved out of reach of the key. 20 % of',
)
say('the deliveries are sent twice, 30 % arrive out of order, and 15 % of the attempts fail. At noon the receiver goes')
say('down. The service disables its endpoint and sends no more events.')
await clock.advance(NINE_O_CLOCK - clock.now())
service.disorder = { duplicated: 0.2, reordered: 0.3, failing: 0.15 }
let warning: string | undefined
const counts = await simulateDay(service, async (time) => {
  if (time === '12:00') receiver.isDown = true
  await mirror.work()
  const { silence } = await mirror.status()
  if (silence === null || warning !== undefined) return
  warning = `At ${time} the mirror reported: ${silence}.`
  receiver.isDown = false
  await client.webhookEndpoints.update(endpoint.endpoint_id, { status: 'active' })
})
await service.settled()
await mirror.work()
table('what happened', counts)
say(warning ?? 'The mirror has not reported it.')
say('Then the receiver was started again, and its endpoint activated.')

const isAboutNote = ({ event_type }: { readonly event_type: string }) => event_type.startsWith('note.')
const deliveries = service.deliveries.filter(isAboutNote)
const attempts = service.attempts.filter(isAboutNote)
table('what the service sent', {
  'events delivered': deliveries.filter(({ status }) => status === 'delivered').length,
  'events never delivered': deliveries.filter(({ status }) => status !== 'delivered').length,
  attempts: attempts.length,
  'retries, after 30 s or more': attempts.filter(({ attempt }) => attempt > 1).length,
})
table('what the receiver did', {
  'stored as hints, and acknowledged': receiver.deliveries.stored,
  'rejected while it was down': receiver.deliveries.rejected,
})
table('the changes that the mirror reports to your code', await changesSince(position))

chapter('List all notes to find unannounced deletions')
say(
  'Events and polls miss notes that were moved while the endpoint was disabled. A full listing lists all notes. The mirror reads',
)
say('each note that is missing, and erases it if the service confirms that it is gone.')
const evening = await endOfFeed()
const { notes } = await mirror.status()
await mirror.sync({ fullListing: 'now' })
const { lastFullListing } = await mirror.status()
say(`Of the ${notes.live} notes in the mirror, ${lastFullListing?.missing} were missing.`)
for await (const { noteId, kind } of mirror.changes({ after: evening })) {
  if (kind !== 'removed') continue
  say(`Why was ${noteId} removed?`)
  for (const reason of (await mirror.explain(noteId)).reasons) say(`  ${reason}`)
  break
}

chapter('Compare the mirror with the service')
const comparison = await compareWithService(client, mirror)
say(
  `${comparison.inMirror} notes in the mirror, ${comparison.inService} in the service, ${comparison.fields} fields compared.`,
)
for (const difference of comparison.differences) say(`difference: ${difference}`)
if (comparison.differences.length === 0) say('Every field of every note, transcript and summary is equal.')
process.exitCode = comparison.differences.length === 0 ? 0 : 1

function statusOfFirstAttempt(): number | string {
  const outcome = service.attempts[0]?.outcome
  return outcome?.kind === 'answered' ? outcome.status : 'nothing'
}

async function endOfFeed(): Promise<string | undefined> {
  let last: string | undefined
  for await (const { position } of mirror.changes()) last = position
  return last
}

async function changesSince(after: string | undefined): Promise<Record<string, number>> {
  const counts = { 'notes to add': 0, 'notes to read again': 0, 'notes to remove': 0 }
  for await (const { kind } of mirror.changes({ after })) {
    if (kind === 'added' || kind === 'restored') counts['notes to add'] += 1
    else if (kind === 'content') counts['notes to read again'] += 1
    else counts['notes to remove'] += 1
  }
  return counts
}
