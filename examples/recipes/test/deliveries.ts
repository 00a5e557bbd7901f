import assert from 'node:assert/strict'
import { anEvent, type SignedAttempt, signAttempt } from '@notewire/webhooks/testing'

export const SECRET = 'whsec_YS1zZWNyZXQtZm9yLXRoZS1yZWNpcGVzLTMyLWJ5dGU'

/** Sends deliveries to a recipe at `baseUrl`, and requests to another route that parses JSON. */
export async function expectDeliveriesToArrive(baseUrl: string | URL): Promise<void> {
  const post = (path: string, { headers, body }: SignedAttempt) =>
    fetch(new URL(path, baseUrl), { method: 'POST', headers, body })
  const deliver = async (attempt: SignedAttempt) => (await post('/webhooks/notes', attempt)).status
  const endedNotes = async () => (await fetch(new URL('/notes', baseUrl))).json()
  const echo = async (value: object) =>
    (await post('/echo', { headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) })).json()

  assert.deepEqual(await echo({ parsed: 'höre 🎻' }), { parsed: 'höre 🎻' })

  // A body that was parsed and serialised again would not have these bytes.
  const text = `  ${JSON.stringify(anEvent({ kind: 'note.ended', noteId: 'nöte-🎻' }), null, 3)}\r\n`
  const attempt = await signAttempt(SECRET, text)
  assert.deepEqual(await Promise.all([deliver(attempt), deliver(attempt), deliver(attempt)]), [204, 204, 204])
  assert.equal(await deliver(attempt), 204)
  assert.deepEqual(await endedNotes(), ['nöte-🎻'])

  assert.equal(await deliver({ ...attempt, body: attempt.body.replace('nöte', 'note') }), 401)
  assert.equal(await deliver(await signAttempt(SECRET, text, { signedAt: Date.now() - 400_000 })), 401)
  assert.equal(await deliver(await signAttempt(SECRET, ' '.repeat(300 * 1024))), 413)

  assert.deepEqual(await echo({ parsed: 'again' }), { parsed: 'again' })
  assert.equal(await deliver(await signAttempt(SECRET, anEvent({ kind: 'note.ended', noteId: 'note_2' }))), 204)
  assert.deepEqual(await endedNotes(), ['nöte-🎻', 'note_2'])
}
