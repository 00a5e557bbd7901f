import { OptionError } from '@notewire/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { API_KEY } from '../../fixtures/secrets.ts'
import { NotesClient } from '../notes-client.ts'
import { type NotesClientOptions, resolveOptions } from './notes-client-options.ts'

const REQUIRED = { baseUrl: 'https://notes.example', apiKey: API_KEY }

beforeEach(() => {
  vi.stubEnv('NOTES_BASE_URL', undefined)
  vi.stubEnv('NOTES_API_KEY', undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

describe('the environment of a client', () => {
  it('provides baseUrl and apiKey if the options are missing', () => {
    vi.stubEnv('NOTES_BASE_URL', 'https://notes.example/v1')
    vi.stubEnv('NOTES_API_KEY', API_KEY)
    expect(resolveOptions({})).toMatchObject(REQUIRED)
    expect(new NotesClient().keyId).toBe(new NotesClient(REQUIRED).keyId)
  })

  it('provides the missing option', () => {
    vi.stubEnv('NOTES_API_KEY', API_KEY)
    expect(resolveOptions({ baseUrl: 'https://other.example' })).toMatchObject({
      baseUrl: 'https://other.example',
      apiKey: API_KEY,
    })
  })

  it.each([
    ['NOTES_BASE_URL', 'baseUrl'],
    ['NOTES_API_KEY', 'apiKey'],
  ])('must have %s; the error names the variable and the option', (variable, option) => {
    vi.stubEnv('NOTES_BASE_URL', 'https://notes.example')
    vi.stubEnv('NOTES_API_KEY', API_KEY)
    for (const missing of [undefined, '']) {
      vi.stubEnv(variable, missing)
      const { option: named, message } = refusalOf({})
      expect(named).toBe(option)
      expect(message).toMatch(new RegExp(`^${option} is missing\\. .+, or set ${variable} in the environment\\.$`))
    }
  })

  it('is named in the error about an invalid value', () => {
    vi.stubEnv('NOTES_BASE_URL', 'notes.example')
    vi.stubEnv('NOTES_API_KEY', `${API_KEY} `)
    expect(refusalOf({})).toMatchObject({ option: 'baseUrl', message: expect.stringMatching(/^NOTES_BASE_URL is not/) })
    expect(refusalOf({ baseUrl: 'https://notes.example' }).message).toMatch(/^NOTES_API_KEY contains a character/)
  })

  it('is not read if both options are given, even if one is empty', () => {
    const refuse = () => {
      throw new Error('the environment was read')
    }
    vi.stubGlobal('process', { ...process, env: new Proxy({}, { get: refuse, has: refuse }) })
    expect(resolveOptions(REQUIRED)).toMatchObject(REQUIRED)
    expect(refusalOf({ ...REQUIRED, apiKey: '' }).option).toBe('apiKey')
  })

  it('may be absent, or forbidden to read', () => {
    vi.stubGlobal('process', undefined)
    expect(refusalOf({}).option).toBe('baseUrl')
    const refuse = () => {
      throw new Error('Requires env access')
    }
    vi.stubGlobal('process', { env: new Proxy({}, { get: refuse }) })
    expect(refusalOf({}).option).toBe('baseUrl')
  })
})

describe('the options of a client', () => {
  it('need only baseUrl and apiKey', () => {
    expect(resolveOptions(REQUIRED)).toMatchObject({
      notesField: 'notes',
      timeoutMs: 10_000,
      totalTimeoutMs: 120_000,
      maxRetries: 2,
      hooks: {},
    })
  })

  it.each(['anything_live_k7.s3cret', 'key-of-another-form', API_KEY])('keep the API key %s unchanged', (apiKey) => {
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
    ['clock', { clock: { now: Date.now, sleep: async () => {} } }],
    ['retries', { retries: 3 }],
  ])('throw an error that names %s, for %o', (option, wrong) => {
    const refusal = refusalOf({ ...REQUIRED, ...wrong } as NotesClientOptions)
    expect(refusal.option).toBe(option)
    expect(refusal.message).toContain(option)
    expect(refusal.message).not.toContain('3cret')
  })

  it.each([
    ['baseURL', '"baseUrl"'],
    ['base_url', '"baseUrl"'],
    ['url', '"baseUrl"'],
    ['host', '"baseUrl"'],
    ['timeout', '"timeoutMs", in milliseconds'],
    ['token', '"apiKey"'],
    ['api_key', '"apiKey"'],
    ['apikey', '"apiKey"'],
    ['key', '"apiKey"'],
    ['retries', '"maxRetries"'],
    ['max_retries', '"maxRetries"'],
    ['fetcher', '"fetch"'],
  ])('named %s throw an error that suggests %s', (option, meant) => {
    const { message } = refusalOf({ ...REQUIRED, [option]: 1 } as NotesClientOptions)
    expect(message).toContain(`NotesClient has no option "${option}". Did you mean ${meant}?`)
  })

  it('that are unknown throw an error that lists the known options', () => {
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
