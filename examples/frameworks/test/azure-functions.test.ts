import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { HttpRequest, HttpResponse } from '@azure/functions'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { receive } from '../azure-functions/notes.ts'

const SECRET = 'whsec_YS1zZWNyZXQtZm9yLXRoZS1yZWNpcGVzLTMyLWJ5dGU'

it('azure-functions receives', async (test: TestContext) => {
  process.env['NOTES_SIGNING_SECRET'] = SECRET
  const log = test.mock.method(console, 'log', () => undefined)
  // A body that was parsed and serialised again would not have these bytes.
  const text = `  ${JSON.stringify(anEvent({ kind: 'note.ended', noteId: 'nöte-🎻' }), null, 3)}\r\n`
  const { headers, body } = await signAttempt(SECRET, text)
  const deliver = async (string: string) => {
    const url = 'http://localhost:7071/api/webhooks/notes'
    // The host makes the request, and the response from what the function returns.
    return new HttpResponse(await receive(new HttpRequest({ url, method: 'POST', headers, body: { string } })))
  }
  assert.equal((await deliver(body)).status, 204)
  assert.equal((await deliver(body)).status, 204)
  const refused = await deliver(body.replace('nöte', 'note'))
  assert.equal(refused.status, 401)
  assert.equal(refused.headers.get('content-type'), 'application/json')
  assert.deepEqual(
    log.mock.calls.map(({ arguments: [noteId] }) => noteId),
    ['nöte-🎻'],
  )
})
