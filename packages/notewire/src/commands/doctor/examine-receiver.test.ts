import type { RequestListener } from 'node:http'
import { isNoteEventKind } from '@notewire/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CLOSED_PORT } from '../../../fixtures/closed-port.ts'
import { handWritten } from '../../../fixtures/commands/doctor/hand-written-receiver.ts'
import { RUNS_PYTHON, startPythonReceiver } from '../../../fixtures/commands/doctor/python-receiver.ts'
import { PLAIN_TEST_SECRET, SECOND_TEST_SECRET, TEST_SECRET } from '../../../fixtures/commands/doctor/secrets.ts'
import { PATH, type StartedReceiver, startReceiver } from '../../../fixtures/commands/doctor/start-receiver.ts'
import type { Limits } from './examination.ts'
import { effectsAt } from './examination.ts'
import { examineReceiver } from './examine-receiver.ts'
import { type Finding, isHealthy, isUnreachable, type ReceiverReport } from './report.ts'

/** Longer than any machine needs. The receivers of these tests apply an event before they answer, so nothing has to be awaited. */
const PATIENT = {
  answerWithinMs: 200_000,
  answerSoonMs: 190_000,
  totalMs: 250_000,
  effectWithinMs: 1,
  effectsSettleMs: 1,
} satisfies Partial<Limits>

afterEach(() => void vi.restoreAllMocks())

describe('a receiver that leaves deliveries without an answer', RUNS_PYTHON, () => {
  it.each([
    ['hangs', ['delivery.valid', 'answer.in-time'], 'answers too slowly: no answer within 200 s'],
    [
      'hangs-over-bad-signatures',
      ['signature.tampered-body', 'signature.wrong-secret', 'answer.in-time'],
      'does not answer a body that was changed after signing',
    ],
  ])('%s', async (fault, found, diagnosis) => {
    const deadline = stoppedTimeouts(PATIENT.answerWithinMs)
    await using receiver = await startPythonReceiver(fault, deadline.end)
    const report = await examine(receiver, { ...PATIENT, slowAllowed: 2 })
    expect(idsOf(problemsIn(report))).toEqual(found)
    expect(report.diagnosis).toBe(diagnosis)
  })
})

describe('a receiver that accepts endpoint.test but no events about notes', () => {
  const answering = (status: number) =>
    startReceiver(handWritten({ apply: ({ event_type }) => ({ status: isNoteEventKind(event_type) ? status : 204 }) }))

  it.each([500, 503, 404, 410])(
    'gets a warning that its handler cannot find the note when it answers %i',
    async (status) => {
      await using receiver = await answering(status)
      const report = await examineReceiver({ url: receiver.url, secret: TEST_SECRET, limits: PATIENT })
      const problems = problemsIn(report)
      expect(idsOf(problems)).toEqual([
        'delivery.valid',
        'event.note.ended',
        'event.note.summary.generated',
        'event.note.updated',
        'event.note.deleted',
      ])
      for (const { verdict, cause } of problems) {
        expect(verdict).toBe('warned')
        expect(cause).toMatch(/accepts endpoint\.test.+the doctor's notes do not exist at the service/)
      }
      expect(isHealthy(report)).toBe(true)
    },
  )

  it('fails when it rejects them', async () => {
    await using receiver = await answering(422)
    const report = await examineReceiver({ url: receiver.url, secret: TEST_SECRET, limits: PATIENT })
    expect(problemsIn(report).every(({ verdict }) => verdict === 'failed')).toBe(true)
    expect(problemsIn(report)[0]?.cause).toMatch(/rejects this kind of event/)
    expect(isHealthy(report)).toBe(false)
  })
})

describe('examineReceiver', () => {
  it('sends one delivery and reports one failure when the receiver cannot be reached', async () => {
    const report = await examineReceiver({ url: new URL(CLOSED_PORT), secret: TEST_SECRET, limits: PATIENT })
    expect(idsOf(problemsIn(report))).toEqual(['connection.reachable'])
    expect(report.requests_sent).toBe(1)
    expect(isUnreachable(report)).toBe(true)
  })

  it('reports one failure for a receiver that rejects every delivery', async () => {
    await using receiver = await startReceiver((_request, response) => response.writeHead(403).end())
    const report = await examineReceiver({ url: receiver.url, secret: TEST_SECRET, limits: PATIENT })
    expect(idsOf(problemsIn(report))).toEqual(['delivery.valid'])
    expect(problemsIn(report)[0]?.cause).toMatch(/uses another secret than this command/)
  })

  it('names a crash once', async () => {
    const receive = handWritten()
    const receiver = await startReceiver((request, response) => {
      if (request.headers['webhook-signature'] === '') void receiver[Symbol.asyncDispose]()
      else receive(request, response)
    })
    const report = await examineReceiver({ url: receiver.url, secret: TEST_SECRET, limits: PATIENT })
    expect(idsOf(problemsIn(report))).toEqual(['signature.empty'])
    expect(report.diagnosis).toMatch(
      /^crashes at the check "An empty signature is rejected \(4xx\)": after it, nothing listens/,
    )
    expect(report.incomplete_because).toMatch(/crashed or was stopped/)
    expect(JSON.stringify(report)).not.toContain('ECONNREFUSED')
  })

  it('reports the target of a redirect without its query, and does not follow it', async () => {
    await using receiver = await startReceiver(({ url }, response) => {
      if (url !== PATH) throw new Error('followed')
      response.writeHead(301, { location: `${PATH}/?token=hidden` }).end()
    })
    const report = await examineReceiver({ url: receiver.url, secret: TEST_SECRET, limits: PATIENT })
    expect(problemsIn(report)[0]?.seen).toMatch(
      /^answered 301 in \d+ ms, to http:\/\/127\.0\.0\.1:\d+\/webhooks\/notes\/$/,
    )
  })

  it('does not test the decoding with a secret without "-", "_" or padding', async () => {
    await using receiver = await startReceiver((_request, response) => response.writeHead(204).end())
    const report = await examineReceiver({
      url: receiver.url,
      secret: PLAIN_TEST_SECRET,
      only: ['secret'],
      limits: PATIENT,
    })
    const ofSecrets = report.findings.filter(({ group }) => group === 'Secrets')
    expect(ofSecrets.map(({ verdict }) => verdict)).toEqual(['not_tested', 'not_tested', 'not_tested', 'not_tested'])
    expect(ofSecrets.find(({ id }) => id === 'secret.beginning')?.seen).toMatch(/^not tested with this secret/)
  })

  it('ends incomplete when the receiver limits the rate for longer than the limit', async () => {
    let deliveries = 0
    const receive = handWritten()
    await using receiver = await startReceiver((request, response) => {
      deliveries += 1
      if (deliveries > 100) response.writeHead(429).end()
      else receive(request, response)
    })
    const limits = { ...PATIENT, rateLimitMs: 20 }
    const report = await examineReceiver({ url: receiver.url, secret: TEST_SECRET, limits })
    expect(problemsIn(report)).toEqual([])
    expect(report.diagnosis).toMatch(
      /^could not be tested completely: the receiver limits the rate of deliveries \(429\)/,
    )
    expect(isHealthy(report)).toBe(false)
  })

  it('ends after three slow answers, and warns about them', async () => {
    await using receiver = await startReceiver(slowly(250))
    const limits = { ...PATIENT, answerSoonMs: 200 }
    const report = await examineReceiver({ url: receiver.url, secret: TEST_SECRET, limits })
    expect(report.requests_sent).toBe(3)
    expect(report.diagnosis).toMatch(/^answers too slowly: \d+(\.\d)? s, and the service waits for 10 s$/)
    expect(report.findings.find(({ id }) => id === 'answer.in-time')?.verdict).toBe('warned')
    expect(report.incomplete_because).toMatch(/answered 3 deliveries later than after 0\.2 s/)
    expect(isHealthy(report)).toBe(false)
  })

  it('ends incomplete when the time limit ends in the middle of a delivery', async () => {
    const totalMs = 240_000
    const time = stoppedTimeouts(totalMs)
    let deliveries = 0
    await using receiver = await startReceiver((_request, response) => {
      deliveries += 1
      if (deliveries === 5) time.end()
      else response.writeHead(204).end()
    })
    const report = await examineReceiver({ url: receiver.url, secret: TEST_SECRET, limits: { ...PATIENT, totalMs } })
    expect(report.complete).toBe(false)
    expect(report.incomplete_because).toMatch(/the time limit of 240 s ended/)
    expect(isHealthy(report)).toBe(false)
    expect(deliveries).toBe(5)
  })

  it('throws doctor_timeout when the time limit ends before the first delivery is answered', async () => {
    const totalMs = 240_000
    const time = stoppedTimeouts(totalMs)
    await using receiver = await startReceiver(() => time.end())
    const examined = examineReceiver({ url: receiver.url, secret: TEST_SECRET, limits: { ...PATIENT, totalMs } })
    await expect(examined).rejects.toMatchObject({ code: 'doctor_timeout' })
    await expect(examined).rejects.toThrow(
      /^the time limit of 240 s ended before the receiver answered the first deliveries\. .*--time-limit/,
    )
  })

  it('throws the reason of the signal in the middle of a delivery', async () => {
    const stop = new AbortController()
    await using receiver = await startReceiver(() => stop.abort(new Error('enough')))
    const examined = examineReceiver({ url: receiver.url, secret: TEST_SECRET, signal: stop.signal })
    await expect(examined).rejects.toThrow('enough')
  })

  it('throws an error without the secret and sends nothing when the secret is malformed', async () => {
    let requests = 0
    await using receiver = await startReceiver(() => {
      requests += 1
    })
    const examined = examineReceiver({ url: receiver.url, secret: 'whsec_not base64 url' })
    await expect(examined).rejects.toThrow(/^the signing secret is not base64url after "whsec_"/)
    expect(requests).toBe(0)
  })

  it('throws effects_unreadable before it sends anything when the effects cannot be read', async () => {
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

  it('never includes a secret in the report', async () => {
    await using receiver = await startReceiver(handWritten({ matches: () => true }))
    const shown = JSON.stringify(await examine(receiver))
    for (const secret of [TEST_SECRET, SECOND_TEST_SECRET]) expect(shown).not.toContain(secret.slice('whsec_'.length))
  })

  it('sends only IDs that start with doctor_', async () => {
    const bodies: string[] = []
    await using receiver = await startReceiver(async (request, response) => {
      bodies.push(Buffer.concat(await request.toArray()).toString())
      response.writeHead(204).end()
    })
    await examineReceiver({ url: receiver.url, secret: TEST_SECRET, only: ['event', 'repetition'], limits: PATIENT })
    const ids = bodies.flatMap(
      (body) => body.match(/"(?:event_id|note_id|endpoint_id|recording_session_id)":"[^"]*"/g) ?? [],
    )
    expect(ids.length).toBeGreaterThan(50)
    for (const id of ids) expect(id).toMatch(/:"doctor_/)
  })

  it('runs only the named checks and those of the connection', async () => {
    await using receiver = await startReceiver(handWritten())
    const only = ['body.non-ascii', 'repetition']
    const { findings } = await examineReceiver({ url: receiver.url, secret: TEST_SECRET, only, limits: PATIENT })
    const groups = [...new Set(findings.map(({ group }) => group))]
    expect(groups).toEqual(['Connection and valid delivery', 'Bodies', 'Duplicates and order'])
    expect(findings.filter(({ group }) => group === 'Bodies').map(({ id }) => id)).toEqual(['body.non-ascii'])
  })
})

/** Time limits of this length end when the test says so, so that no test depends on the speed of the machine. */
function stoppedTimeouts(limitMs: number): { readonly end: () => void } {
  const timeout = AbortSignal.timeout
  let latest = new AbortController()
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    if (ms !== limitMs) return timeout(ms)
    latest = new AbortController()
    return latest.signal
  })
  return { end: () => latest.abort(new DOMException('timed out', 'TimeoutError')) }
}

/** Passes a request to a right receiver after a delay. */
function slowly(ms: number): RequestListener {
  const receive = handWritten()
  return (request, response) => void setTimeout(() => receive(request, response), ms)
}

function examine({ url, effectsUrl }: StartedReceiver, limits: Partial<Limits> = PATIENT): Promise<ReceiverReport> {
  return examineReceiver({
    url,
    secret: TEST_SECRET,
    secondSecret: SECOND_TEST_SECRET,
    effects: effectsAt(effectsUrl),
    limits,
  })
}

function problemsIn({ findings }: ReceiverReport): readonly Finding[] {
  return findings.filter(({ verdict }) => verdict === 'failed' || verdict === 'warned')
}

function idsOf(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ id }) => id)
}
