import { createMirrors } from '@notewire/mirror'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import { expressHandler } from '@notewire/webhooks/express'
import express from 'express'

interface Account {
  readonly apiKey: string
  readonly signingSecret: string
}

const { ACCOUNTS, NOTES_BASE_URL: baseUrl = '', TRANSCRIPTS_URL: target = '' } = process.env
if (!ACCOUNTS || !baseUrl || !target) {
  const form = '{"acme":{"apiKey":"…","signingSecret":"whsec_…"}}'
  throw new Error(`Set NOTES_BASE_URL, TRANSCRIPTS_URL, and ACCOUNTS in the form ${form}.`)
}

/** Replace it by a table of your accounts, with encrypted keys and secrets. */
const accounts = new Map(Object.entries<Account>(JSON.parse(ACCOUNTS)))

const mirrors = createMirrors({
  // With more than one process, use postgresMirror(pool).
  store: sqliteMirror(process.env['NOTES_DATABASE'] ?? 'accounts.db'),
  connect: (account) => ({ baseUrl, apiKey: accounts.get(account)?.apiKey ?? '' }),
  hooks: { onProblem: ({ integration, error }) => console.error(integration, error) },
})
const receivers = mirrors.receivers({ secretOf: (account) => accounts.get(account)?.signingSecret })
const app = express().post('/webhooks/notes/:integration', expressHandler(receivers))
const port = Number(process.env['PORT'] ?? 3000)
const server = app.listen(port, (error) => {
  if (error) throw error
  console.log(`listening on port ${port}`)
})

const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())

for (const account of accounts.keys()) await mirrors.add(account)
await Promise.all([mirrors.run({ signal: stop.signal }), ...Array.from(accounts.keys(), sendNewTranscripts)])
server.close()
await receivers.close()

/** Sends each new transcript of an account to a URL. A transcript that is sent again has the same idempotency key. */
async function sendNewTranscripts(account: string): Promise<void> {
  await mirrors.of(account).consume({
    name: 'new-transcripts',
    from: 'now',
    batchSize: 1,
    signal: stop.signal,
    async apply([change], { signal }) {
      if (change?.kind !== 'content' || !change.parts.includes('transcript') || change.transcript === null) return
      const { noteId, note, transcript, transcriptVersion, recordingSessionId, hashes } = change
      const response = await fetch(target, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': `${account} ${noteId} ${transcriptVersion} ${hashes.transcript}`,
        },
        body: JSON.stringify({ account, noteId, title: note.title, recordingSessionId, text: transcript.text }),
        signal,
      })
      // An error is retried: this note alone, with growing pauses.
      if (!response.ok) throw new Error(`${new URL(target).host} answered ${response.status}`)
    },
  })
}
