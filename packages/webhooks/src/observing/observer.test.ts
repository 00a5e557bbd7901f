import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { OTHER_TEST_SECRET, TEST_SECRET } from '../../fixtures/secrets.ts'
import { setUpMany } from '../../fixtures/set-up-many.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import { ERRORS } from '../delivering/answer.ts'
import { createReceiver } from '../receiver/receiver.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { LOG_LINES, withoutSecretLine } from './log-lines.ts'
import type { ReceiverHooks } from './receiver-hooks.ts'

describe('the hook for outcomes', () => {
  it('is told what became of each event: delivered or given to `process`', async () => {
    const { deliver, outcomes, receiver } = setUpReceiver({ on: { 'note.updated': () => undefined } })
    const event = anEvent({ kind: 'note.updated', revision: 7 })
    const older = anEvent({ kind: 'note.updated', revision: 6 })
    await deliver(event)
    await receiver.process(event)
    await deliver(older)
    expect(outcomes).toEqual([
      { status: 'applied', event },
      { status: 'duplicate', event },
      { status: 'stale', event: older, appliedRevision: 7 },
    ])
  })

  it('is told nothing of what was refused', async () => {
    const { deliver, outcomes } = setUpReceiver()
    await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)
    expect(outcomes).toEqual([])
  })
})

describe('where the time of an event went', () => {
  it('is told with its outcome: how long it waited, and how long its handler ran', async () => {
    const timings: object[] = []
    const { clock, deliver } = setUpReceiver({
      on: { 'note.updated': ({ data }) => data.revision === 7 && clock.sleep(300) },
      hooks: { onOutcome: ({ status }, timing) => timings.push({ status, ...timing }) },
    })
    const first = deliver(anEvent({ kind: 'note.updated', revision: 7 }))
    const second = deliver(anEvent({ kind: 'note.updated', revision: 8 }))
    await clock.advance(300)
    await Promise.all([first, second])
    await deliver(anEvent({ kind: 'note.ended' }))
    expect(timings).toEqual([
      { status: 'applied', waitedMs: 0, handlerMs: 300 },
      { status: 'applied', waitedMs: 300, handlerMs: 0 },
      { status: 'unhandled', waitedMs: 0, handlerMs: undefined },
    ])
  })
})

describe('the hook for verified attempts', () => {
  it('is told which secret of a rotation signed', async () => {
    const used: number[] = []
    const { deliver } = setUpReceiver({
      secret: [OTHER_TEST_SECRET, TEST_SECRET],
      hooks: { onVerified: ({ secretIndex }) => used.push(secretIndex) },
    })
    await deliver(anEvent({ kind: 'note.ended' }))
    await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)
    expect(used).toEqual([1, 0])
  })
})

describe('the hook for refusals', () => {
  it('is told of every refused delivery, and the log of 30 a minute for each reason', async () => {
    const refused: string[] = []
    const { clock, receiver, logger } = setUpReceiver({ hooks: { onRefused: (reason) => refused.push(reason) } })
    const flood = async () => {
      for (let count = 0; count < 100; count += 1) {
        await receiver.respond({
          method: 'POST',
          path: '/',
          headers: {},
          readBody: async () => ({ status: 'read', bytes: new Uint8Array() }),
        })
      }
    }
    await flood()
    expect(refused).toHaveLength(100)
    expect(logger.lines).toHaveLength(30)
    await clock.advance(60_000)
    await flood()
    expect(logger.lines).toHaveLength(60)
    expect(logger.lines[30]).toMatch(/"more_since_last_line":70/)
  })

  it('is told of each integration by itself: forgeries at one hide no line of another', async () => {
    const { deliver, logger } = setUpMany()
    const linesOf = (integration: string) => logger.lines.filter((line) => line.includes(`"${integration}"`))
    for (let count = 0; count < 40; count += 1) await deliver('acme', anEvent({ kind: 'note.ended' }), TEST_SECRET)
    await deliver('globex', anEvent({ kind: 'note.ended' }), TEST_SECRET)
    expect(linesOf('acme')).toHaveLength(30)
    expect(linesOf('globex')).toEqual([expect.stringMatching(/no-matching-signature/)])
  })

  it('is told of drift in each integration', async () => {
    const { deliver, logger } = setUpMany()
    for (const integration of ['acme', 'acme', 'globex']) {
      const { data, ...event } = anEvent({ kind: 'note.updated' })
      await deliver(integration, { ...event, data: { ...data, transcript_status: 7 } })
    }
    const lines = logger.lines.filter((line) => line.includes('differs from the contract'))
    expect(lines).toEqual([expect.stringContaining('"acme"'), expect.stringContaining('"globex"')])
  })

  it('is told of all invented integrations together', async () => {
    const { deliver, logger } = setUpMany()
    for (let count = 0; count < 100; count += 1) {
      await deliver(`invented-${count}`, anEvent({ kind: 'note.ended' }))
    }
    expect(logger.lines.filter((line) => line.includes('integration_unknown'))).toHaveLength(1)
    expect(logger.lines.join()).not.toContain('invented-')
  })

  it('is told why a delivery was refused, and so is the log, but not the sender', async () => {
    const reasons: string[] = []
    const { deliver, logger } = setUpReceiver({ hooks: { onRefused: (reason) => reasons.push(reason) } })
    const response = await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)
    expect(reasons).toEqual(['no-matching-signature'])
    expect(logger.lines).toEqual([expect.stringMatching(/^warn a delivery was refused .*no-matching-signature.*v1/)])
    expect(await response.text()).not.toContain('matching')
  })
})

describe('a hook that throws', () => {
  it.each([
    ['later, in a promise', () => Promise.reject(new Error('metrics are down'))],
    [
      'at once',
      () => {
        throw new Error('metrics are down')
      },
    ],
  ])('%s, is logged and changes nothing', async (_when, fail) => {
    const { deliver, logger } = setUpReceiver({ hooks: { onOutcome: fail, onRefused: fail } })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
    expect((await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)).status).toBe(401)
    const failures = logger.lines.filter((line) => line.startsWith('error a hook threw'))
    expect(failures).toHaveLength(2)
    expect(logger.lines.join()).not.toContain('metrics')
  })
})

describe('the hook around the processing of an event', () => {
  type Around = ReceiverHooks['aroundEvent']
  it.each<[string, Around]>([
    ['calls `process` and returns something else', async (_event, process) => [await process()]],
    ['calls `process` twice', async (_event, process) => [await process(), await process()]],
    ['never calls `process`', () => undefined],
    ['calls `process` too late', (_event, process) => Promise.resolve().then(process)],
    ['throws', () => fail()],
    ['throws after `process`', async (_event, process) => [await process(), fail()]],
  ])('changes nothing if it %s', async (_what, aroundEvent) => {
    const applied: number[] = []
    const { deliver, receiver, logger } = setUpReceiver({
      hooks: { aroundEvent },
      on: { 'note.updated': ({ data }) => void applied.push(data.revision) },
    })
    const event = anEvent({ kind: 'note.updated', revision: 7 })
    expect((await deliver(event)).status).toBe(204)
    expect((await receiver.process(event)).status).toBe('duplicate')
    expect(applied).toEqual([7])
    expect(logger.lines.join()).not.toContain('metrics')
  })

  it('is given the outcome, and whose event it is', async () => {
    const told: unknown[] = []
    const { deliver } = setUpReceiver({
      integration: 'acme',
      hooks: {
        async aroundEvent(event, process, { integration }) {
          const { status } = await process()
          told.push([event.event_type, status, integration])
        },
      },
      on: { 'note.updated': fail },
    })
    expect((await deliver(anEvent({ kind: 'note.updated' }))).status).toBe(500)
    expect(told).toEqual([['note.updated', 'failed', 'acme']])
  })

  it('wraps the sink too', async () => {
    const told: string[] = []
    const receiver = createReceiver({
      secret: TEST_SECRET,
      sink: async () => void told.push('sink'),
      hooks: { aroundEvent: (_event, process) => process().then(({ status }) => told.push(status)) },
    })
    const attempt = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.updated' }))
    await receiver.fetch(new Request('https://receiver.test/hooks', { method: 'POST', ...attempt }))
    expect(told).toEqual(['sink', 'applied'])
  })

  function fail(): never {
    throw new Error('metrics are down')
  }
})

describe('the guide', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

  it('explains every line of the log', () => {
    const guide = read('../../../../docs/receiving/observing.md')
    const lines = Object.values(LOG_LINES).map(([, message]) => message)
    const withoutSecret = (['missing', 'invalid', 'late'] as const).map((status) => withoutSecretLine(status, 'secret'))
    // A long line is in the guide by its beginning.
    for (const line of [...lines, ...withoutSecret]) expect(guide).toContain(`\`${line?.slice(0, 50)}`)
  })

  it('explains every error answer', () => {
    const guide = read('../../../../docs/receiving/observing.md')
    for (const [code, [status]] of Object.entries(ERRORS)) expect(guide).toContain(`| ${status} | \`${code}\` |`)
  })
})

describe('a log that fails', () => {
  const fail = () => {
    throw new Error('the disk is full')
  }

  it('costs a line and no process, where it fails later', async () => {
    const unhandled: unknown[] = []
    const onUnhandled = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', onUnhandled)
    const fail = async () => Promise.reject(new Error('the log is away'))
    const { deliver } = setUpReceiver({ logger: { info: fail, warn: fail, error: fail } })
    expect((await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)).status).toBe(401)
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', onUnhandled)
    expect(unhandled).toEqual([])
  })

  it('costs a line and no delivery', async () => {
    const { deliver } = setUpReceiver({
      logger: { info: fail, warn: fail, error: fail },
      on: { 'note.ended': () => Promise.reject(new Error('the handler too')) },
    })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(500)
    expect((await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)).status).toBe(401)
    expect((await deliver('no event')).status).toBe(400)
  })
})

describe('an error in the log', () => {
  it('is shown no line of its message, even one that looks like a place', async () => {
    const error = new Error('cannot save:\n    at the board meeting (Salaries 2026:1:1)\n')
    const { deliver, logger } = setUpReceiver({
      on: { 'note.ended': () => Promise.reject(Object.assign(error, { code: 'Salaries are cut' })) },
    })
    await deliver(anEvent({ kind: 'note.ended' }))
    expect(logger.lines.join()).toMatch(/a handler failed.*observer\.test\.ts/)
    expect(logger.lines.join()).not.toContain('Salaries')
  })

  it.each([
    ['a text', 'Salaries 2026', 'a string'],
    ['null', null, 'null'],
    ['undefined', undefined, 'undefined'],
    ['an object', { message: 'Salaries 2026' }, 'an object'],
  ])('is replaced by an explanation if the handler threw %s', async (_what, thrown, words) => {
    const { deliver, logger } = setUpReceiver({ on: { 'note.ended': () => Promise.reject(thrown) } })
    await deliver(anEvent({ kind: 'note.ended' }))
    expect(logger.lines.join()).toContain(`"problem":"the handler threw ${words}, not an Error. Throw an Error, `)
    expect(logger.lines.join()).not.toContain('Salaries')
  })

  it('is shown with its message if logErrorMessages is on, which a warning says at the start', async () => {
    const errors: unknown[] = [new Error('Salaries 2026'), 'Salaries 2027', null]
    const { deliver, logger } = setUpReceiver({
      logErrorMessages: true,
      on: { 'note.ended': () => Promise.reject(errors.shift()) },
      hooks: { onErrorAnswer: () => Promise.reject(new Error('Salaries 2028')) },
    })
    expect(logger.lines).toEqual([expect.stringMatching(/^warn logErrorMessages is on.*only in development/)])
    for (let count = 0; count < 3; count += 1) await deliver(anEvent({ kind: 'note.ended' }))
    const failures = logger.lines.filter((line) => line.includes('a handler failed'))
    expect(failures).toEqual([
      expect.stringMatching(/"error":"Error","at":.*"error_message":"Salaries 2026"/),
      expect.stringMatching(/"problem":"the handler threw.*"error_message":"Salaries 2027"/),
      expect.not.stringContaining('error_message'),
    ])
    expect(logger.lines.join()).toMatch(/a hook threw.*"error_message":"Salaries 2028"/)
  })

  it('of the function secret is never shown with its message, which may quote the secret', async () => {
    const secret = () => Promise.reject(new Error(TEST_SECRET))
    const { deliver, logger } = setUpReceiver({ secret, logErrorMessages: true })
    await deliver(anEvent({ kind: 'note.ended' }))
    expect(logger.lines.join()).toContain('returned no usable secret')
    expect(logger.lines.join()).not.toContain(TEST_SECRET)
  })

  it('is shown without the name that it has given itself, where that may be a sentence', async () => {
    const error = Object.assign(new Error('x'), { name: 'Salaries are cut' })
    const { deliver, logger } = setUpReceiver({ on: { 'note.ended': () => Promise.reject(error) } })
    await deliver(anEvent({ kind: 'note.ended' }))
    expect(logger.lines.join()).toMatch(/"error":"Error"/)
    expect(logger.lines.join()).not.toContain('Salaries')
  })
})

describe('a line of the log', () => {
  it('has no fields when there is nothing to say in them, so that the console prints no "undefined" after it', async () => {
    const lines: unknown[][] = []
    const tell = (...line: unknown[]) => lines.push(line)
    const { deliver } = setUpReceiver({ secret: () => undefined, logger: { info: tell, warn: tell, error: tell } })
    await deliver(anEvent({ kind: 'note.ended' }))
    expect(lines).toEqual([[expect.stringMatching(/^no signing secret is known/)]])
  })
})
