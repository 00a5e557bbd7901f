import { describe, expect, it } from 'vitest'
import { ManualClock } from '../fixtures/manual-clock.ts'
import { OTHER_TEST_SECRET, TEST_SECRET } from '../fixtures/secrets.ts'
import { setUpReceiver } from '../fixtures/set-up-receiver.ts'
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
  it('when the body was re-serialised on its way', async () => {
    const pretty = JSON.stringify(event, null, 2)
    expect(await explanationOf((attempt) => Object.assign(attempt, { body: pretty }))).toMatch(
      /^no-matching-signature: the body was re-serialised on its way.*proxy or parser/,
    )
  })

  it('when the secret is that of another endpoint, or the body was changed', async () => {
    const explanation = /^no-matching-signature: .*the secret is that of another endpoint/
    expect(await explanationOf(() => undefined, OTHER_TEST_SECRET)).toMatch(explanation)
    const changed = JSON.stringify({ ...event, event_id: 'evt_other' }, null, 2)
    expect(await explanationOf((attempt) => Object.assign(attempt, { body: changed }))).toMatch(explanation)
    expect(await explanationOf((attempt) => Object.assign(attempt, { body: '{' }))).toMatch(explanation)
  })

  it.each([412, -412])('when the clocks are %i s apart', async (seconds) => {
    const shifted = (attempt: { headers: Record<string, string> }) => {
      attempt.headers['webhook-timestamp'] = String(Math.floor(clock.now() / 1000) - seconds)
    }
    expect(await explanationOf(shifted)).toMatch(/^timestamp-too-(old|new): it was signed 412 s/)
  })

  it('when a header is missing', async () => {
    const explanation = await explanationOf((attempt) => {
      attempt.headers['webhook-id'] = ''
    })
    expect(explanation).toBe('missing-header: the header webhook-id is missing')
  })

  it('and says nothing of a body too large for a notification but that it does not match', async () => {
    const large = JSON.stringify({ ...event, padding: 'x'.repeat(20_000) }, null, 2)
    expect(await explanationOf((attempt) => Object.assign(attempt, { body: large }))).toMatch(/another endpoint/)
  })
})
