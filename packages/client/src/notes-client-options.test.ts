import { OptionError, systemClock } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { API_KEY } from './fixtures/secrets.ts'
import { type NotesClientOptions, resolveOptions } from './notes-client-options.ts'

const REQUIRED = { baseUrl: 'https://notes.example', apiKey: API_KEY }

describe('the options of a client', () => {
  it('need only baseUrl and apiKey', () => {
    expect(resolveOptions(REQUIRED)).toMatchObject({
      notesField: 'notes',
      timeoutMs: 10_000,
      totalTimeoutMs: 120_000,
      maxRetries: 2,
      hooks: {},
      clock: systemClock,
    })
  })

  it.each(['anything_live_k7.s3cret', 'key-of-another-form', API_KEY])('take the API key %s as it is', (apiKey) => {
    expect(resolveOptions({ ...REQUIRED, apiKey }).apiKey).toBe(apiKey)
  })

  it.each([
    ['baseUrl', { baseUrl: 'http://notes.example' }],
    ['apiKey', { apiKey: '' }],
    ['apiKey', { apiKey: undefined }],
    ['apiKey', { apiKey: `${API_KEY}\n` }],
    ['apiKey', { apiKey: `${API_KEY}\r\nx-injected: 1` }],
    ['apiKey', { apiKey: `${API_KEY} ` }],
    ['apiKey', { apiKey: `ключ_live_k7.s3cret` }],
    ['notesField', { notesField: '' }],
    ['fetch', { fetch: 'https://proxy.example' }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['timeoutMs', { timeoutMs: Number.NaN }],
    ['timeoutMs', { timeoutMs: 2 ** 31 }],
    ['totalTimeoutMs', { totalTimeoutMs: 0 }],
    ['maxRetries', { maxRetries: -1 }],
    ['maxRetries', { maxRetries: 1.5 }],
    ['hooks.onRetry', { hooks: { onRetry: 'log' } }],
    ['onReply', { hooks: { onReply: () => {} } }],
    ['clock', { clock: Date }],
    ['retries', { retries: 3 }],
  ])('are refused, naming %s, when they hold %o', (option, wrong) => {
    const refusal = refusalOf({ ...REQUIRED, ...wrong } as NotesClientOptions)
    expect(refusal.option).toBe(option)
    expect(refusal.message).toContain(option)
    expect(refusal.message).not.toContain('3cret')
  })

  it('that nobody knows are refused with the ones that exist', () => {
    expect(refusalOf({ ...REQUIRED, baseURL: '' } as NotesClientOptions).message).toContain(
      'baseUrl, apiKey, notesField',
    )
  })
})

function refusalOf(options: NotesClientOptions): OptionError {
  try {
    resolveOptions(options)
  } catch (error) {
    if (error instanceof OptionError) return error
  }
  throw new Error('it should have been refused')
}
