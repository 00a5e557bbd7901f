import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { effectsAt } from './effects.ts'
import { examineReceiver } from './examine-receiver.ts'
import { handWritten } from './fixtures/hand-written-receiver.ts'
import { PYTHON_FAULTS, startPythonReceiver } from './fixtures/python-receiver.ts'
import { RIGHT_RECEIVERS } from './fixtures/right-receivers.ts'
import { PLAIN_TEST_SECRET, SECOND_TEST_SECRET, TEST_SECRET } from './fixtures/secrets.ts'
import { PATH, type StartedReceiver, startReceiver } from './fixtures/start-receiver.ts'
import { WRONG_RECEIVERS } from './fixtures/wrong-receivers.ts'
import type { Limits } from './limits.ts'
import { type Finding, isHealthy, isUnreachable, type ReceiverReport } from './report.ts'

/** What is applied here shows at once. */
const QUICK_EFFECTS = { effectWithinMs: 200, effectsSettleMs: 20 }

/** Of less patience than the service: what waits on purpose waits for two seconds. */
const HURRIED: Partial<Limits> = { ...QUICK_EFFECTS, answerWithinMs: 1_500, answerSoonMs: 1_200, unansweredAllowed: 2 }

describe('a receiver that keeps the contract', () => {
  it.each(RIGHT_RECEIVERS)('passes whole: $name', { timeout: 30_000 }, async ({ start }) => {
    await using receiver = await start()
    const report = await examine(receiver)
    expect(wrongIn(report)).toEqual([])
    expect(report.findings.filter(({ verdict }) => verdict === 'not-tested').map(({ id }) => id)).toEqual([
      'connection.https',
    ])
    expect(isHealthy(report)).toBe(true)
  })
})

describe('a fault of a receiver in JavaScript is found, and nothing else', () => {
  it.each(WRONG_RECEIVERS)('$fault', { timeout: 30_000 }, async ({ steps, foundBy }) => {
    await using receiver = await startReceiver(handWritten(steps))
    expect(idsOf(wrongIn(await examine(receiver))).toSorted()).toEqual(foundBy.toSorted())
  })
})

describe('a fault of a receiver in Python is found, and nothing else', () => {
  it.each(PYTHON_FAULTS)('$fault', { timeout: 60_000 }, async ({ fault, foundBy, cause, waits }) => {
    await using receiver = await startPythonReceiver(fault)
    const wrong = wrongIn(await examine(receiver, waits ? HURRIED : QUICK_EFFECTS))
    expect(idsOf(wrong).toSorted()).toEqual(foundBy.toSorted())
    if (cause !== undefined) expect(wrong.map((finding) => finding.cause).join()).toMatch(cause)
  })
})

describe('an examination', { timeout: 30_000 }, () => {
  it('ends early, with one finding, where nobody answers', async () => {
    const gone = await startReceiver(handWritten())
    await gone[Symbol.asyncDispose]()
    const report = await examineReceiver({ url: gone.url, secret: TEST_SECRET, limits: HURRIED })
    expect(idsOf(wrongIn(report))).toEqual(['connection.reachable'])
    expect(report.requests_sent).toBe(1)
    expect(isUnreachable(report)).toBe(true)
  })

  it('says one thing of a receiver that takes nothing', async () => {
    await using receiver = await startReceiver((_request, response) => response.writeHead(403).end())
    const report = await examineReceiver({ url: receiver.url, secret: TEST_SECRET, limits: HURRIED })
    expect(idsOf(wrongIn(report))).toEqual(['delivery.valid'])
    expect(wrongIn(report)[0]?.cause).toMatch(/its secret is not the one that was given here/)
  })

  it('says where a redirect leads, and follows it not', async () => {
    await using receiver = await startReceiver(({ url }, response) => {
      if (url !== PATH) throw new Error('followed')
      response.writeHead(301, { location: `${PATH}/?token=hidden` }).end()
    })
    const report = await examineReceiver({ url: receiver.url, secret: TEST_SECRET, limits: HURRIED })
    expect(wrongIn(report)[0]?.seen).toMatch(
      /^answered 301 in \d+ ms, to http:\/\/127\.0\.0\.1:\d+\/webhooks\/notes\/$/,
    )
  })

  it('leaves out, and says so, what a secret without "-", "_" or padding cannot show', async () => {
    await using receiver = await startReceiver((_request, response) => response.writeHead(204).end())
    const report = await examineReceiver({
      url: receiver.url,
      secret: PLAIN_TEST_SECRET,
      only: ['secret'],
      limits: HURRIED,
    })
    const ofSecrets = report.findings.filter(({ group }) => group === 'Secrets')
    expect(ofSecrets.map(({ verdict }) => verdict)).toEqual(['not-tested', 'not-tested', 'not-tested'])
  })

  it('warns, and fails nothing, where answers are slow but in time', async () => {
    await using receiver = await startReceiver(slowly(250))
    const limits = { ...HURRIED, answerSoonMs: 200 }
    const report = await examineReceiver({ url: receiver.url, secret: TEST_SECRET, only: ['answer.in-time'], limits })
    expect(wrongIn(report).map(({ id, verdict }) => `${id} ${verdict}`)).toEqual(['answer.in-time warned'])
    expect(isHealthy(report)).toBe(true)
  })

  it('is over when its time is, and not called healthy', async () => {
    await using receiver = await startReceiver(slowly(100))
    const report = await examineReceiver({
      url: receiver.url,
      secret: TEST_SECRET,
      limits: { ...HURRIED, totalMs: 500 },
    })
    expect(report.complete).toBe(false)
    expect(report.incomplete_because).toMatch(/the 0.5 s for the whole examination were over/)
    expect(isHealthy(report)).toBe(false)
    expect(report.duration_ms).toBeLessThan(2_000)
  })

  it('ends with the reason of its signal, in the middle of a delivery', async () => {
    const stop = new AbortController()
    await using receiver = await startReceiver(() => stop.abort(new Error('enough')))
    const examined = examineReceiver({ url: receiver.url, secret: TEST_SECRET, signal: stop.signal })
    await expect(examined).rejects.toThrow('enough')
  })

  it('sends nothing with a malformed secret, and does not show it', async () => {
    let requests = 0
    await using receiver = await startReceiver(() => {
      requests += 1
    })
    const examined = examineReceiver({ url: receiver.url, secret: 'whsec_not base64 url' })
    await expect(examined).rejects.toThrow(/^the signing secret is not base64url after "whsec_"/)
    expect(requests).toBe(0)
  })

  it('refuses effects that cannot be read before it sends anything', async () => {
    let deliveries = 0
    await using receiver = await startReceiver(({ url }, response) => {
      if (url === PATH) deliveries += 1
      response.end('<html>')
    })
    const effects = effectsAt(receiver.effectsUrl)
    const examined = examineReceiver({ url: receiver.url, secret: TEST_SECRET, effects })
    await expect(examined).rejects.toThrow(/answered something that is not JSON/)
    expect(deliveries).toBe(0)
  })

  it('never has the secret in its report', async () => {
    await using receiver = await startReceiver(handWritten({ matches: () => true }))
    const shown = JSON.stringify(await examine(receiver))
    for (const secret of [TEST_SECRET, SECOND_TEST_SECRET]) expect(shown).not.toContain(secret.slice('whsec_'.length))
  })

  it('makes up every identifier that it sends', async () => {
    const bodies: string[] = []
    await using receiver = await startReceiver(async (request, response) => {
      bodies.push(Buffer.concat(await request.toArray()).toString())
      response.writeHead(204).end()
    })
    await examineReceiver({ url: receiver.url, secret: TEST_SECRET, only: ['event', 'repetition'], limits: HURRIED })
    const ids = bodies.flatMap(
      (body) => body.match(/"(?:event_id|note_id|endpoint_id|recording_session_id)":"[^"]*"/g) ?? [],
    )
    expect(ids.length).toBeGreaterThan(50)
    for (const id of ids) expect(id).toMatch(/:"doctor_/)
  })

  it('asks for less when less is wanted, but always for the connection', async () => {
    await using receiver = await startReceiver(handWritten())
    const only = ['body.non-ascii', 'repetition']
    const { findings } = await examineReceiver({ url: receiver.url, secret: TEST_SECRET, only, limits: HURRIED })
    const groups = [...new Set(findings.map(({ group }) => group))]
    expect(groups).toEqual(['Connection and valid delivery', 'Bodies', 'Duplicates and order'])
    expect(findings.filter(({ group }) => group === 'Bodies').map(({ id }) => id)).toEqual(['body.non-ascii'])
  })
})

/** Takes everything, after a while. */
function slowly(ms: number): RequestListener {
  return (_request, response) => void setTimeout(() => response.writeHead(204).end(), ms)
}

function examine(
  { url, effectsUrl }: StartedReceiver,
  limits: Partial<Limits> = QUICK_EFFECTS,
): Promise<ReceiverReport> {
  return examineReceiver({
    url,
    secret: TEST_SECRET,
    secondSecret: SECOND_TEST_SECRET,
    effects: effectsAt(effectsUrl),
    limits,
  })
}

function wrongIn({ findings }: ReceiverReport): readonly Finding[] {
  return findings.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned')
}

function idsOf(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ id }) => id)
}
