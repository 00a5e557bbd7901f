import { NotesClient } from '@notewire/client'
import { createNotesService } from '@notewire/mock-server'
import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import { compareWithService } from './compare.ts'
import { liveThroughADay } from './day.ts'
import { chapter, progressBar, say, table, title } from './narrator.ts'
import { NotesCopy } from './notes-copy.ts'
import { startReceiver } from './receiver-app.ts'

title('Notewire: a notes service, and a copy of its notes that keeps up with it')
say('Everything below happens on real sockets of this machine. The service lives by a clock of its own,')
say('so that a day of it passes in seconds.')

chapter('A notes service starts')
// `virtual`: the tour moves the time. Whoever verifies timestamps is given the same clock.
await using service = await createNotesService({
  notes: 300,
  clock: 'virtual',
  contract: { verification: 'before_response' },
})
const { url: baseUrl } = await service.listen()
const client = new NotesClient({ baseUrl, apiKey: service.apiKey, clock: service.clock })
say(`It listens at ${baseUrl} with 300 notes. Our API key is ${client.keyId}; its secret part is never shown.`)

chapter('A receiver starts, on Express')
const copy = new NotesCopy(client)
let signingSecret: string | undefined
await using receiver = await startReceiver({ copy, clock: service.clock, secret: () => signingSecret })
say(`It waits for deliveries at ${receiver.url}.`)

chapter('Its endpoint is registered, and verified')
const endpoint = await client.webhookEndpoints.create({ url: receiver.url, events: NOTE_EVENT_KINDS })
signingSecret = endpoint.signing_secret
say(`The service says ${endpoint.status}. Its first verification came before anyone could know the signing secret,`)
say(
  `so the receiver answered ${statusOfFirstAttempt()}: what cannot be verified never gets a 2xx. It comes again 30 s later.`,
)
const [active] = await Promise.all([
  client.webhookEndpoints.waitUntilActive(endpoint.endpoint_id),
  service.clock.advance('35s'),
])
say(`The service says ${active.status}.`)

chapter('All notes are read: page by page, then transcripts and summaries')
const reading = progressBar('notes copied', 300)
for await (const note of client.notes.list({ limit: 100 })) {
  await copy.keep(note)
  reading.step()
}
reading.done()

chapter('A day passes at the service')
say('Sessions end, summaries come, titles are edited, notes are deleted and leave our sight. Meanwhile every fifth')
say('delivery arrives twice, three in ten are overtaken by later ones, and every seventh attempt fails.')
service.disorder = { duplicated: 0.2, reordered: 0.3, failing: 0.15 }
const happened = await liveThroughADay(service)
await service.settled()
table('what happened', happened)

const deliveries = service.deliveries.filter(({ event_type }) => event_type.startsWith('note.'))
const attempts = service.attempts.filter(({ event_type }) => event_type.startsWith('note.'))
table('what the service sent', {
  'events delivered': deliveries.filter(({ status }) => status === 'delivered').length,
  'requests that took': attempts.length,
  'attempts that failed': attempts.filter(({ outcome }) => outcome.kind === 'dropped').length,
  'retried, 30 s later or more': attempts.filter(({ attempt }) => attempt > 1).length,
})
table('what the receiver made of it', {
  'applied: news, handed to a handler': receiver.outcomes.applied,
  'ignored as duplicate: applied before': receiver.outcomes.duplicate,
  'ignored as stale: a newer revision came first': receiver.outcomes.stale,
  'sent back to come again': receiver.outcomes.sentBack,
})

chapter('The copy that the handlers built is compared with the service')
const comparison = await compareWithService(client, copy)
say(`${comparison.here} notes here, ${comparison.there} there.`)
for (const difference of comparison.differences) say(`differs: ${difference}`)
if (comparison.differences.length === 0) say('Every title, revision, status, transcript and summary agrees.')
process.exitCode = comparison.differences.length === 0 ? 0 : 1

function statusOfFirstAttempt(): number | string {
  const outcome = service.attempts[0]?.outcome
  return outcome?.kind === 'answered' ? outcome.status : 'nothing'
}
