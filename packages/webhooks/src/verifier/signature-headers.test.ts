import { describe, expect, it } from 'vitest'
import { type AttemptHeaders, readFirst, readHeader, readHeaders, refuseNoHeaders } from './signature-headers.ts'

const NAME = 'webhook-id'

describe('what is passed instead of headers', () => {
  it.each<[string, unknown]>([
    ['not an object', undefined],
    ['not an object', null],
    ['not an object', 'v1,abc'],
    ['a list', [['webhook-id', 'msg_1']]],
    ['a promise: await it', Promise.resolve({})],
    ['a request', { headers: {} }],
  ])('is named: %s', (what, headers) => {
    const error = { option: 'headers', message: expect.stringContaining(`headers is ${what}. Pass all headers`) }
    expect(() => refuseNoHeaders(headers as AttemptHeaders)).toThrow(expect.objectContaining(error))
  })
})

it.each<[string, AttemptHeaders]>([
  ['an object', {}],
  ['Headers', new Headers()],
  ['an object with a header of this name', { headers: 'x' }],
])('headers may be %s', (_, headers) => {
  expect(() => refuseNoHeaders(headers)).not.toThrow()
})

describe('the only value of a header', () => {
  it.each<[string, AttemptHeaders]>([
    ['in an object', { [NAME]: 'msg_1', 'x-webhook-id': 'msg_2' }],
    ['in an object with names in any case', { 'Webhook-Id': 'msg_1' }],
    ['in a list', { [NAME]: ['msg_1'] }],
    ['in Headers', new Headers({ [NAME]: 'msg_1' })],
    ['beside the same name without a value', { [NAME]: 'msg_1', 'WEBHOOK-ID': undefined }],
    ['after the same name without a value', { [NAME]: undefined, 'WEBHOOK-ID': 'msg_1' }],
  ])('is found %s', (_, headers) => {
    expect(readHeader(headers, NAME)).toBe('msg_1')
  })

  it.each<[string, string, unknown]>([
    ['missing-header', 'the header webhook-id is missing', undefined],
    ['missing-header', 'the header webhook-id is missing', ''],
    ['missing-header', 'the header webhook-id is missing', []],
    ['malformed-header', 'the header webhook-id occurs more than once', ['msg_1', 'msg_1']],
    ['malformed-header', 'the header webhook-id is not a string but number', 7],
  ])('is refused with %s: %s', (reason, detail, value) => {
    const headers = { [NAME]: value } as AttemptHeaders
    expect(readHeader(headers, NAME)).toEqual({ status: 'refused', reason, detail })
  })
})

describe('the first value of a header', () => {
  it.each<[unknown, string | undefined]>([
    ['a', 'a'],
    [['a', 'b'], 'a'],
    [['', 'b'], 'b'],
    [7, '7'],
    ['', undefined],
    [[''], undefined],
    [[], undefined],
    [undefined, undefined],
  ])('of %j is %j', (value, first) => {
    expect(readFirst({ accept: value } as AttemptHeaders, 'accept')).toBe(first)
  })

  it('is undefined if the header is missing', () => {
    expect(readFirst(new Headers(), 'accept')).toBeUndefined()
  })
})

describe('all headers', () => {
  it('are returned if they are Headers', () => {
    const headers = new Headers({ a: '1' })
    expect(readHeaders(headers)).toBe(headers)
  })

  it('of an object are read, without those that Headers does not accept', () => {
    const headers = { A: '1', b: ['2', '3'], c: undefined, d: 'ok\u{1f3bb}', 'not a name': '4', e: '5' }
    expect([...readHeaders(headers)]).toEqual(Object.entries({ a: '1', b: '2, 3', e: '5' }))
  })
})
