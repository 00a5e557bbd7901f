import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { OTHER_TEST_SECRET, TEST_SECRET } from '../../fixtures/secrets.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'

const clock = new ManualClock()
const event = anEvent({ kind: 'note.ended' })

async function explanationOf(
  change: (attempt: { headers: Record<string, string>; body: string }) => void,
  secret = TEST_SECRET,
) {
  const { headers, body } = await signAttempt(secret, event, { signedAt: clock.now() })
  const attempt = { headers: { ...headers }, body }
  change(attempt)
  const explanations: string[] = []
  const { receiver, logger } = setUpReceiver({
    clock,
    hooks: { onRefused: (reason, detail) => explanations.push(`${reason}: ${detail}`) },
  })
  const response = await receiver.fetch(new Request('https://receiver.test/', { method: 'POST', ...attempt }))
  expect(response.status).toBe(401)
  expect(logger.lines.join()).toContain(explanations[0]?.split(': ')[0])
  return explanations.join()
}

describe('a delivery that is refused explains itself to the hook and the log', () => {
  it('when the body was re-serialised in transit', async () => {
    const pretty = JSON.stringify(event, null, 2)
    expect(await explanationOf((attempt) => Object.assign(attempt, { body: pretty }))).toMatch(
      /^no-matching-signature: the body was re-serialised in transit.*proxy or parser/,
    )
  })

  it.each([
    ['a line break was added to the body', `${JSON.stringify(event)}\n`, /the body gained or lost a line break/],
    ['the body is in base64', btoa(JSON.stringify(event)), /in base64.*isBase64Encoded/],
    [
      'a byte order mark was added',
      `\ufeff${JSON.stringify(event)}`,
      /the encoding or the byte order mark of the body changed/,
    ],
  ])('when %s', async (_change, body, explanation) => {
    expect(await explanationOf((attempt) => Object.assign(attempt, { body }))).toMatch(explanation)
  })

  it('when the signature is of another version', async () => {
    const explanation = await explanationOf(({ headers }) => {
      headers['webhook-signature'] = (headers['webhook-signature'] ?? '').replace('v1,', 'v2,')
    })
    expect(explanation).toMatch(/^no-matching-signature: the header webhook-signature has no complete v1 signature/)
  })

  it('when the secret is that of another endpoint, or the body was changed', async () => {
    const explanation = /^no-matching-signature: .*the secret belongs to another endpoint/
    expect(await explanationOf(() => undefined, OTHER_TEST_SECRET)).toMatch(explanation)
    const changed = JSON.stringify({ ...event, event_id: 'evt_other' }, null, 2)
    expect(await explanationOf((attempt) => Object.assign(attempt, { body: changed }))).toMatch(explanation)
    expect(await explanationOf((attempt) => Object.assign(attempt, { body: '{' }))).toMatch(explanation)
  })

  it.each([412, -412])('when the clocks are %i s apart', async (seconds) => {
    const shifted = (attempt: { headers: Record<string, string> }) => {
      attempt.headers['webhook-timestamp'] = String(Math.floor(clock.now() / 1000) - seconds)
    }
    expect(await explanationOf(shifted)).toMatch(/^timestamp-too-(old|new): the timestamp is 412 s/)
  })

  it('when a header is missing', async () => {
    const explanation = await explanationOf((attempt) => {
      attempt.headers['webhook-id'] = ''
    })
    expect(explanation).toBe('missing-header: the header webhook-id is missing')
  })
})

/** What a receiver says, one after the other, of genuine bodies that were written anew with these spaces at their end. */
function setUpRewriting() {
  const explanations: string[] = []
  const { receiver } = setUpReceiver({ clock, hooks: { onRefused: (_reason, detail) => explanations.push(detail) } })
  return async (text: string, spaces = 1): Promise<'diagnosed' | 'plain'> => {
    const { headers } = await signAttempt(TEST_SECRET, text, { signedAt: clock.now() })
    const body = text + ' '.repeat(spaces)
    const response = await receiver.fetch(new Request('https://receiver.test/', { method: 'POST', headers, body }))
    expect(response.status).toBe(401)
    const explanation = explanations.pop() ?? ''
    if (explanation.startsWith('the body was re-serialised')) return 'diagnosed'
    expect(explanation).toBe(
      'no v1 signature matches this body with any known secret: the secret belongs to another endpoint or was ' +
        'rotated, or the body was changed in transit',
    )
    return 'plain'
  }
}

describe('a body that no notification has is refused without a diagnosis', () => {
  const text = JSON.stringify(event)
  const withField = (value: unknown) => JSON.stringify({ ...event, field: value })

  it.each([
    [16_384, 'diagnosed'],
    [16_385, 'plain'],
  ])('one of %i bytes is %s', async (bytes, expected) => {
    expect(await setUpRewriting()(text, bytes - text.length)).toBe(expected)
  })

  it.each([
    [30, 'diagnosed'],
    [31, 'plain'],
    [8_000, 'plain'],
  ])('one with %i arrays in its two objects is %s', async (arrays, expected) => {
    const rewritten = setUpRewriting()
    expect(await rewritten(withField('nest').replace('"nest"', '['.repeat(arrays) + ']'.repeat(arrays)))).toBe(expected)
    expect(await rewritten(text)).toBe('diagnosed')
  })

  it.each([
    [256, 'diagnosed'],
    [257, 'plain'],
  ])('one with %i commas is %s', async (commas, expected) => {
    const others = withField([]).split(',').length - 1
    expect(await setUpRewriting()(withField(Array(commas - others + 1).fill(0)))).toBe(expected)
  })
})

describe('ten refusals a second are diagnosed', () => {
  it('and the others are refused without a diagnosis, until the second is over', async () => {
    const rewritten = setUpRewriting()
    const inOneSecond = async (count: number) => {
      const said: string[] = []
      for (let sent = 0; sent < count; sent += 1) said.push(await rewritten(JSON.stringify(event)))
      return said
    }
    expect(await inOneSecond(12)).toEqual([...Array(10).fill('diagnosed'), 'plain', 'plain'])
    await clock.advance(999)
    expect(await inOneSecond(1)).toEqual(['plain'])
    await clock.advance(1)
    expect(await inOneSecond(11)).toEqual([...Array(10).fill('diagnosed'), 'plain'])
  })

  it('and bodies that no notification has do not count among them', async () => {
    const rewritten = setUpRewriting()
    for (let sent = 0; sent < 20; sent += 1) await rewritten('['.repeat(100) + ']'.repeat(100))
    expect(await rewritten(JSON.stringify(event))).toBe('diagnosed')
  })
})
