import { OptionError } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { storeWith } from '../../fixtures/store-with.ts'
import { createReceiver } from '../receiver/receiver.ts'
import { memoryStore } from '../stores/memory-store.ts'
import type { ReceiverOptions } from './receiver-options.ts'

const construct = (options: object) => () =>
  createReceiver({ secret: TEST_SECRET, on: {}, ...options } as ReceiverOptions)

function optionRefusedBy(options: object): string {
  try {
    construct(options)()
  } catch (error) {
    if (error instanceof OptionError) return error.option
    throw error
  }
  return 'none'
}

describe('a receiver under construction', () => {
  it.each([
    [{ secret: 'whsec_!' }, /signing secret is not base64url/],
    [{ secret: [TEST_SECRET, 'nope'] }, /does not start with "whsec_"/],
  ])('refuses the malformed secret of %o', (options, message) => {
    expect(construct(options)).toThrow(message)
  })

  it.each([
    [
      { handlers: {} },
      'handlers',
      /createReceiver has no option "handlers"\. Did you mean "on"\? It takes: secret, on, /,
    ],
    [{ onEvent: 1 }, 'onEvent', /Did you mean "on"\?/],
    [{ tolerance: 5 }, 'tolerance', /Did you mean "toleranceSeconds"\?/],
    [{ secrets: [] }, 'secrets', /Did you mean "secret"\?/],
    [{ signingSecret: '' }, 'signingSecret', /Did you mean "secret"\?/],
    [{ webhookSecret: '' }, 'webhookSecret', /Did you mean "secret"\?/],
    [{ dedupWindow: 1 }, 'dedupWindow', /Did you mean "dedupWindowMs", in milliseconds\?/],
    [{ database: 1 }, 'database', /Did you mean "store"\?/],
    [{ on: undefined }, 'on', /on must be an object, such as \{ 'note\.ended': /],
    [{ on: null }, 'on', /on must be an object/],
    [{ on: () => undefined }, 'on', /on must be an object/],
    [{ on: { 'note.ended': 'save' } }, 'note.ended', /"note\.ended" is not a function but string/],
    [{ on: { 'note.finished': () => undefined } }, 'on', /on has no event "note\.finished"\. It takes: note\.ended, /],
    [{ onUnknown: true }, 'onUnknown', /"onUnknown" is not a function but boolean\. Pass a function, or omit it/],
    [{ waitUntil: {} }, 'waitUntil', /"waitUntil" is not a function but object/],
    [{ hooks: 5 }, 'hooks', /hooks must be an object, such as \{ onOutcome: /],
    [{ hooks: () => undefined }, 'hooks', /hooks must be an object/],
    [{ hooks: { onDone: () => undefined } }, 'onDone', /hooks has no option "onDone"/],
    [{ hooks: { onOutcome: 'count' } }, 'onOutcome', /"onOutcome" is not a function but string/],
    [{ hooks: { onOverdue: 1 } }, 'onOverdue', /"onOverdue" is not a function but number/],
    [{ hooks: { onRefused: [] } }, 'onRefused', /"onRefused" is not a function but object/],
    [{ store: memoryStore }, 'store', /store has no method "claim"\. Pass an object with claim, renew, .* omit it/],
    [{ store: Promise.resolve(memoryStore()) }, 'store', /store has no method "claim"/],
    [{ logErrorMessages: 'false' }, 'logErrorMessages', /logErrorMessages must be true or false, not a text/],
    [{ logger: 'pino' }, 'logger', /logger has no method "info"/],
    [{ logger: { info: () => undefined, warn: () => undefined } }, 'logger', /logger has no method "error"/],
    [{ clock: 5 }, 'clock', /clock has no method "now"/],
    [{ clock: { now: Date.now } }, 'clock', /clock has no method "sleep"/],
    [
      { integration: '' },
      'integration',
      /integration must be 1 to 128 .* Pass an id for the integration, or omit the option/,
    ],
    [{ integration: 5 }, 'integration', /integration must be 1 to 128/],
    [{ path: 'hooks' }, 'path', /path must start with "\/"/],
    [{ secret: (id: string) => id }, 'secret', /use createReceivers\(\{ secretOf: /],
    [{ queue: {} }, 'queue', /"queue" is not a function but object/],
    [{ path: 5 }, 'path', /path must start with "\/"/],
    [{ path: '/hooks?key=1' }, 'path', /have no query, such as "\/webhooks\/notes"/],
    [{ path: 'https://app.example/hooks' }, 'path', /path must start with "\/"/],
    [
      { revisionGate: 'loose' },
      'revisionGate',
      /revisionGate must be one of strict, deletions-at-equal, per-kind, off/,
    ],
    [{ toleranceSeconds: -1 }, 'toleranceSeconds', /toleranceSeconds must be/],
    [{ toleranceSeconds: 300_000 }, 'toleranceSeconds', /It is in seconds, not milliseconds: 300 is 5 minutes/],
    [{ toleranceSeconds: 60_000 }, 'toleranceSeconds', /in seconds, not milliseconds/],
    [{ toleranceSeconds: '300' }, 'toleranceSeconds', /toleranceSeconds must be/],
    [{ toleranceSeconds: Number.NaN, secret: () => undefined }, 'toleranceSeconds', /toleranceSeconds must be/],
    [{ maxBodyBytes: 0 }, 'maxBodyBytes', /maxBodyBytes must be a whole number, 1 or more/],
    [{ maxBodyBytes: 10.5 }, 'maxBodyBytes', /maxBodyBytes must be a whole number, 1 or more/],
    [{ dedupWindowMs: 97_199_999 }, 'dedupWindowMs', /dedupWindowMs must be at least 27 h .* Pass at least 97200000/],
    [{ dedupWindowMs: Number.NaN }, 'dedupWindowMs', /dedupWindowMs must be at least 27 h/],
    [{ dedupWindowMs: '259200000' }, 'dedupWindowMs', /dedupWindowMs must be at least 27 h/],
  ])('refuses %o by an error that names %s and the fix', (options, option, message) => {
    expect(construct(options)).toThrow(message)
    expect(optionRefusedBy(options)).toBe(option)
  })

  it.each(['claim', 'renew', 'commit', 'release', 'forget', 'prune'])('refuses a store that cannot %s', (method) => {
    const { [method]: _missing, ...rest } = { ...storeWith(memoryStore(), {}) } as Record<string, unknown>
    expect(construct({ store: rest })).toThrow(`store has no method "${method}"`)
  })

  it('refuses to be made of nothing', () => {
    const make = createReceiver as (options?: unknown) => unknown
    expect(() => make()).toThrow(/createReceiver needs an object of options\. It takes: secret, on, /)
    expect(() => make(null)).toThrow(/createReceiver needs an object of options/)
  })

  it('takes a function whose secret is not there yet', () => {
    expect(construct({ secret: () => undefined })).not.toThrow()
  })

  it.each([
    { dedupWindowMs: 97_200_000 },
    { maxBodyBytes: 1 },
    { toleranceSeconds: 0 },
    { path: '/' },
    { hooks: {} },
    { hooks: { onOutcome: undefined }, on: { 'note.ended': undefined } },
    {
      store: undefined,
      integration: undefined,
      path: undefined,
      clock: undefined,
      logger: undefined,
      hooks: undefined,
    },
  ])('takes %o', (options) => {
    expect(construct(options)).not.toThrow()
  })
})
