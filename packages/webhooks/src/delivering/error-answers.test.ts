import { describe, expect, it } from 'vitest'
import { heldHandler } from '../../fixtures/held-handler.ts'
import { passingHeaders } from '../../fixtures/passing-headers.ts'
import { OTHER_TEST_SECRET } from '../../fixtures/secrets.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import { storeWith } from '../../fixtures/store-with.ts'
import type { ErrorAnswer } from '../interfaces/answer.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent } from '../testing/an-event.ts'
import type { BodyReading, IncomingAttempt } from './attempt.ts'

type Options = Parameters<typeof setUpReceiver>[0]

function setUpCounting(options: Options = {}) {
  const told: ErrorAnswer[] = []
  const hooks = { onErrorAnswer: (answer: ErrorAnswer) => told.push(answer) }
  const set = setUpReceiver({ hooks, ...options })
  const present = async (changes: Partial<IncomingAttempt> & { readonly reading?: BodyReading }) => {
    const { reading = { status: 'incomplete' }, ...attempt } = changes
    const headers = await passingHeaders(set.clock.now())
    return await set.receiver.respond({ method: 'POST', path: '/', headers, readBody: async () => reading, ...attempt })
  }
  return { ...set, told, present }
}

describe('the hook for error answers', () => {
  const large = { 'content-length': '262145' }
  const encoded = { 'content-encoding': 'gzip' }

  it.each<[ErrorAnswer, Partial<IncomingAttempt> & { readonly reading?: BodyReading }]>([
    [{ status: 400, code: 'body_incomplete' }, { reading: { status: 'incomplete' } }],
    [{ status: 401, code: 'unverified' }, { headers: {} }],
    [{ status: 401, code: 'unverified' }, { reading: { status: 'read', bytes: new Uint8Array() } }],
    [{ status: 404, code: 'not_found' }, { method: 'GET' }],
    [{ status: 408, code: 'body_too_slow' }, { reading: { status: 'too-slow' } }],
    [{ status: 413, code: 'body_too_large' }, { headers: large }],
    [{ status: 413, code: 'body_too_large' }, { reading: { status: 'too-large' } }],
    [{ status: 415, code: 'body_encoded' }, { headers: encoded }],
    [{ status: 500, code: 'body_already_parsed' }, { reading: { status: 'already-parsed' } }],
    [{ status: 500, code: 'internal' }, { readBody: () => Promise.reject(new Error('broken')) }],
  ])('is told of %j once', async (expected, changes) => {
    const { told, present } = setUpCounting()
    expect((await present(changes)).status).toBe(expected.status)
    expect(told).toEqual([expected])
  })

  const down = () => Promise.reject(new Error('down'))

  it.each<[ErrorAnswer, Options]>([
    [{ status: 500, code: 'handler_failed' }, { on: { 'note.ended': down } }],
    [{ status: 503, code: 'secret_missing' }, { secret: () => undefined }],
    [{ status: 503, code: 'not_queued' }, { queue: down }],
    [{ status: 503, code: 'unavailable' }, { store: storeWith(memoryStore(), { claim: down }) }],
  ])('is told of %j once, after a signed delivery', async (expected, options) => {
    const { deliver, told } = setUpCounting(options)
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(expected.status)
    expect(told).toEqual([expected])
  })

  it('is told of a signed body that is no event, and not of what is answered 204', async () => {
    const { deliver, told } = setUpCounting()
    await deliver(anEvent({ kind: 'note.ended' }))
    await deliver('no event')
    expect(told).toEqual([{ status: 400, code: 'event_malformed' }])
  })

  it('is told of a handler that is overdue, and of an event that waits for another', async () => {
    const slow = heldHandler()
    const { clock, deliver, told } = setUpCounting({ on: { 'note.ended': slow.handle } })
    const event = anEvent({ kind: 'note.ended' })
    const responses = [deliver(event), deliver(event)]
    await slow.begun
    await clock.advance(8_000)
    await Promise.all(responses)
    expect(told).toEqual([
      { status: 503, code: 'busy' },
      { status: 503, code: 'overdue' },
    ])
    slow.end()
  })

  it('changes nothing when it throws', async () => {
    const fail = () => {
      throw new Error('metrics are down')
    }
    const { deliver, logger } = setUpReceiver({ hooks: { onErrorAnswer: fail } })
    expect((await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)).status).toBe(401)
    expect(logger.lines.join()).toMatch(/error a hook threw/)
  })
})

describe('the log of requests that were turned away', () => {
  const line = (code: string, status: number, more: number) =>
    'warn the receiver refused a request before checking its signature ' +
    JSON.stringify({ status, code, more_since_last_line: more })

  it('has one line a minute for each kind of answer, with how many there were since', async () => {
    const { clock, logger, present } = setUpCounting()
    for (let sent = 0; sent < 4; sent += 1) await present({ method: 'GET' })
    await present({ reading: { status: 'incomplete' } })
    await clock.advance(59_999)
    await present({ method: 'GET' })
    expect(logger.lines).toEqual([line('not_found', 404, 0), line('body_incomplete', 400, 0)])
    await clock.advance(1)
    await present({ method: 'GET' })
    expect(logger.lines.slice(2)).toEqual([line('not_found', 404, 4)])
    await clock.advance(60_000)
    await present({ method: 'GET' })
    expect(logger.lines.slice(3)).toEqual([line('not_found', 404, 0)])
  })

  it.each<[number, string, Partial<IncomingAttempt> & { readonly reading?: BodyReading }]>([
    [408, 'body_too_slow', { reading: { status: 'too-slow' } }],
    [413, 'body_too_large', { reading: { status: 'too-large' } }],
    [415, 'body_encoded', { headers: { 'content-encoding': 'Salaries 2026' } }],
    [404, 'not_found', { path: '/Salaries', method: 'Salaries' }],
  ])('names %i %s and nothing of the request', async (status, code, changes) => {
    const { logger, present } = setUpCounting()
    await present(changes)
    expect(logger.lines).toEqual([line(code, status, 0)])
  })
})
