import { OptionError, ShapeError } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../fixtures/manual-clock.ts'
import { BodyNotRawError, SecretError, unwrap, type VerificationFailure, WebhookVerificationError } from './index.ts'
import { anEvent, anUnknownEvent } from './testing/an-event.ts'
import { signAttempt } from './testing/sign-attempt.ts'

const clock = new ManualClock()
const SECRET = 'whsec_dGhlIGZpcnN0IHNlY3JldCwgMzIgYnl0ZXMgbG9uZy4'
const OTHER_SECRET = 'whsec_dGhlIG90aGVyIHNlY3JldCwgMzIgYnl0ZXMgbG9uZy4'
const event = anEvent({ kind: 'note.deleted', noteId: 'note_7', revision: 3 })

const sign = (payload: object | string, offsetSeconds = 0) =>
  signAttempt(SECRET, payload, { signedAt: clock.now() + offsetSeconds * 1000 })

describe('unwrap', () => {
  it('returns the event of a delivery that the service signed, from text and from bytes', async () => {
    const { body, headers } = await sign(event)
    expect(await unwrap(body, headers, SECRET, { clock })).toEqual(event)
    expect(await unwrap(new TextEncoder().encode(body), new Headers(headers), SECRET, { clock })).toEqual(event)
  })

  it('returns an event of a kind that this version does not know', async () => {
    const unknown = anUnknownEvent()
    const { body, headers } = await sign(unknown)
    expect(await unwrap(body, headers, SECRET, { clock })).toEqual(unknown)
  })

  it('accepts a delivery signed with any of several secrets', async () => {
    const { body, headers } = await sign(event)
    expect(await unwrap(body, headers, [OTHER_SECRET, SECRET], { clock })).toEqual(event)
  })

  it('uses the clock of the machine and a tolerance of 300 s by default', async () => {
    const { body, headers } = await signAttempt(SECRET, event)
    expect(await unwrap(body, headers, SECRET)).toEqual(event)
    const late = await sign(event, -11)
    expect(await unwrap(late.body, late.headers, SECRET, { clock })).toEqual(event)
    await expect(unwrap(late.body, late.headers, SECRET, { clock, toleranceSeconds: 10 })).rejects.toMatchObject({
      reason: 'timestamp-too-old',
    })
  })
})

describe('unwrap throws WebhookVerificationError', () => {
  it.each<[VerificationFailure, (headers: Record<string, string>) => Promise<unknown>]>([
    ['missing-header', async ({ 'webhook-id': _id, ...headers }) => refusal(JSON.stringify(event), headers)],
    ['malformed-header', async (headers) => refusal(JSON.stringify(event), { ...headers, 'webhook-timestamp': 'now' })],
    ['timestamp-too-old', async () => refusal(...partsOf(await sign(event, -400)))],
    ['timestamp-too-new', async () => refusal(...partsOf(await sign(event, 400)))],
    ['no-matching-signature', async (headers) => refusal('{}', headers)],
  ])('with the reason %s, and what to do next', async (reason, refuse) => {
    const { headers } = await sign(event)
    const error = await refuse({ ...headers })
    expect(error).toBeInstanceOf(WebhookVerificationError)
    expect(error).toMatchObject({ code: 'webhook_not_verified', reason })
    expect(String(error)).toMatch(new RegExp(`\\(${reason}\\): .+\\. [A-Z].+\\.$`))
  })

  it('with the cause if the body was parsed and serialised again', async () => {
    const { body, headers } = await sign(event)
    const error = await refusal(JSON.stringify(JSON.parse(body), null, 2), headers)
    expect(String(error)).toContain('the body was re-serialised in transit')
  })

  it('that contains neither the secret, nor the body, nor the signature', async () => {
    const { body, headers } = await sign({ ...event, title: 'a private title' })
    const text = String(await refusal(`${body} `, headers))
    for (const hidden of [SECRET, 'private', headers['webhook-signature'] ?? '']) expect(text).not.toContain(hidden)
  })
})

describe('unwrap refuses', () => {
  it('a signed body that is not an event, with a ShapeError', async () => {
    for (const payload of ['not JSON', '[]', { ...event, event_id: 7 }, { ...event, data: {} }]) {
      const { body, headers } = await sign(payload)
      await expect(unwrap(body, headers, SECRET, { clock })).rejects.toThrow(ShapeError)
    }
  })

  it('an invalid event, with the path of the problem', async () => {
    const { body, headers } = await sign({ ...event, data: { ...event.data, note_id: 7 } })
    await expect(unwrap(body, headers, SECRET, { clock })).rejects.toMatchObject({ path: 'data.note_id' })
  })

  it('a body that was parsed', async () => {
    const { body, headers } = await sign(event)
    await expect(unwrap(JSON.parse(body), headers, SECRET, { clock })).rejects.toThrow(BodyNotRawError)
  })

  it('the value of one header instead of all headers', async () => {
    const { body, headers } = await sign(event)
    const signature = headers['webhook-signature'] as unknown as Record<string, string>
    await expect(unwrap(body, signature, SECRET, { clock })).rejects.toThrow(
      new OptionError('headers', 'headers is not an object. Pass all headers of the request: request.headers.'),
    )
  })

  it('a list without a secret, but not a list with gaps', async () => {
    const { body, headers } = await sign(event)
    await expect(unwrap(body, headers, [null, undefined, ''], { clock })).rejects.toThrow(/secret is missing/)
    await expect(unwrap(body, headers, [null, SECRET, undefined], { clock })).resolves.toMatchObject(event)
  })

  it('a secret that is missing, or was cut off', async () => {
    const { body, headers } = await sign(event)
    await expect(unwrap(body, headers, undefined, { clock })).rejects.toThrow(/the signing secret is missing/)
    await expect(unwrap(body, headers, SECRET.slice(0, 20), { clock })).rejects.toThrow(SecretError)
    await expect(unwrap(body, headers, { secret: SECRET } as unknown as string)).rejects.toThrow(/is not a string/)
  })

  it('unknown options, with a suggestion', async () => {
    const { body, headers } = await sign(event)
    // @ts-expect-error a misspelt option
    await expect(unwrap(body, headers, SECRET, { tolerance: 5 })).rejects.toThrow(/Did you mean "toleranceSeconds"\?/)
  })
})

function partsOf({ body, headers }: { readonly body: string; readonly headers: Readonly<Record<string, string>> }) {
  return [body, headers] as const
}

async function refusal(body: string, headers: Readonly<Record<string, string>>): Promise<unknown> {
  return await unwrap(body, headers, SECRET, { clock }).then(
    () => 'verified',
    (error: unknown) => error,
  )
}
