import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NotesClient } from '@notewire/client'
import { createMirror } from '@notewire/mirror'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import { createNotesService } from '@notewire/mock-server'
import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import { compareWithService } from './compare.ts'
import { liveThroughADay } from './day.ts'
import { chapter, progressBar, say, table, title } from './narrator.ts'
import { startReceiver } from './receiver-app.ts'

const NOTES = 300
const NINE_O_CLOCK = Date.UTC(2026, 0, 1, 9)
await using resources = new AsyncDisposableStack()

title('Notewire: a notes service, and a mirror of its notes that keeps up with it')
say(
  'Everything below happens on real sockets and a real disk of this machine. The service lives by a clock of its own,',
)
say('so that a day of it passes in seconds.')

chapter('A notes service starts')
// `virtual`: the tour moves the time. Whoever verifies timestamps is given the same clock.
const service = resources.use(
  await createNotesService({ notes: NOTES, clock: 'virtual', contract: { verification: 'before_response' } }),
)
const { clock } = service
const { url: baseUrl } = await service.listen()
const client = new NotesClient({ baseUrl, apiKey: service.apiKey })
say(`It listens at ${baseUrl} with ${NOTES} notes. Our API key is ${client.keyId}; its secret part is never shown.`)

chapter('A mirror is made in SQLite, and its receiver starts, on Express')
const folder = await mkdtemp(join(tmpdir(), 'notewire-tour-'))
resources.defer(() => rm(folder, { recursive: true }))
const store = sqliteMirror(join(folder, 'notes.db'))
resources.defer(async () => await store.close?.())
let onCopied: (() => void) | undefined
const mirror = createMirror({
  client,
  store,
  clock,
  pollEveryMs: 15 * 60_000,
  hooks: { onProgress: ({ phase }) => phase === 'content' && onCopied?.() },
})
let signingSecret: string | undefined
const receiver = resources.use(await startReceiver(mirror, () => signingSecret))
say(`The receiver waits for deliveries at ${receiver.url}.`)

chapter('Its endpoint is registered, and verified')
const endpoint = await client.webhookEndpoints.create({ url: receiver.url, events: NOTE_EVENT_KINDS })
signingSecret = endpoint.signing_secret
say(`The service says ${endpoint.status}. Its first verification came before anyone could know the signing secret,`)
say(
  `so the receiver answered ${statusOfFirstAttempt()}: what cannot be verified never gets a 2xx. It comes again 30 s later.`,
)
const [active] = await Promise.all([
  client.webhookEndpoints.waitUntilActive(endpoint.endpoint_id),
  clock.advance('35s'),
])
say(`The service says ${active.status}.`)

chapter('All notes are copied')
const reading = progressBar('notes copied, with transcript and summary', NOTES)
onCopied = reading.step
await mirror.sync()
onCopied = undefined
reading.done()
const position = await endOfFeed()

chapter('A day passes at the service')
say('Sessions end, summaries come, titles are edited, notes are deleted and leave our sight. Every fifth delivery')
say('arrives twice, three in ten are overtaken by later ones, and every seventh attempt fails. Worse: at noon our')
say('receiver goes down, its endpoint is disabled, and what happens then is announced to nobody.')
await clock.advance(NINE_O_CLOCK - clock.now())
service.disorder = { duplicated: 0.2, reordered: 0.3, failing: 0.15 }
let alarm: string | undefined
const happened = await liveThroughADay(service, async (time) => {
  if (time === '12:00') receiver.isDown = true
  await mirror.work()
  const { silence } = await mirror.status()
  if (silence === null || alarm !== undefined) return
  alarm = `At ${time} the mirror said: ${silence}.`
  receiver.isDown = false
  await client.webhookEndpoints.update(endpoint.endpoint_id, { status: 'active' })
})
await service.settled()
await mirror.work()
table('what happened', happened)
say(alarm ?? 'The mirror has not noticed.')
say('So we started the receiver again, and activated its endpoint.')

const ofNotes = ({ event_type }: { readonly event_type: string }) => event_type.startsWith('note.')
const deliveries = service.deliveries.filter(ofNotes)
const attempts = service.attempts.filter(ofNotes)
table('what the service sent', {
  'events delivered': deliveries.filter(({ status }) => status === 'delivered').length,
  'events never delivered': deliveries.filter(({ status }) => status !== 'delivered').length,
  'requests that took': attempts.length,
  'retried, 30 s later or more': attempts.filter(({ attempt }) => attempt > 1).length,
})
table('what the receiver made of it', {
  'written down as hints, and acknowledged': receiver.deliveries.writtenDown,
  'turned away while it was down': receiver.deliveries.turnedAway,
})
table('what the mirror tells an index of our own', await changesSince(position))

chapter('At night, the mirror lists everything')
say(
  'Events and polls cannot show what left our sight unannounced. A full listing can: what it does not show, and a read',
)
say('confirms, is erased.')
const evening = await endOfFeed()
const { notes } = await mirror.status()
await mirror.sync({ scan: 'now' })
const { lastScan } = await mirror.status()
say(`Of the ${notes.live} notes that are here it did not show ${lastScan?.missing}.`)
for await (const { noteId, kind } of mirror.changes({ after: evening })) {
  if (kind !== 'removed') continue
  say(`Why is ${noteId} no longer here?`)
  for (const reason of (await mirror.explain(noteId)).reasons) say(`  ${reason}`)
  break
}

chapter('The mirror in SQLite is compared with the service')
const comparison = await compareWithService(client, mirror)
say(`${comparison.here} notes here, ${comparison.there} there, ${comparison.fields} fields of them.`)
for (const difference of comparison.differences) say(`differs: ${difference}`)
if (comparison.differences.length === 0) say('Every field of every note, transcript and summary agrees.')
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
