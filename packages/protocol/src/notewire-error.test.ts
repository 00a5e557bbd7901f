import { describe, expect, it } from 'vitest'
import { NotewireError } from './notewire-error.ts'
import { OptionError, refuseUnknownOptions } from './options.ts'

describe('an error of Notewire', () => {
  const error = new NotewireError('secret_missing', 'there is no secret. Set one.')

  it('carries a code for programs', () => expect(error.code).toBe('secret_missing'))

  it('says its code and what to do when it is printed', () => {
    expect(String(error)).toBe('NotewireError [secret_missing]: there is no secret. Set one.')
  })

  it('keeps its cause', () => {
    const cause = new Error('connection refused')
    expect(new NotewireError('network', 'nobody answered.', { cause }).cause).toBe(cause)
  })
})

describe('an option that nobody knows', () => {
  const make = (options: object) => () => refuseUnknownOptions('createReceiver', options, ['secret', 'store'])

  it('is refused, by name, with the options that exist', () => {
    expect(make({ secret: 'x', stroe: 1 })).toThrow(
      new OptionError('stroe', 'createReceiver has no option "stroe". It takes: secret, store.'),
    )
    expect(make({ stroe: 1 })).toThrow(expect.objectContaining({ code: 'option_invalid', option: 'stroe' }))
  })

  it.each([
    ['secrets', 'Did you mean "secret"?'],
    ['webhookSecret', 'Did you mean "secret"?'],
    ['signing_secret', 'Did you mean "secret"?'],
    ['STORE', 'Did you mean "store"?'],
    ['timeout', 'Did you mean "timeoutMs", in milliseconds?'],
    ['handlers', 'Did you mean "on"?'],
  ])('is answered with the option that resembles it, or that other libraries call so: %s', (option, suggestion) => {
    const known = ['secret', 'store', 'on', 'timeoutMs']
    const refuse = () => refuseUnknownOptions('createReceiver', { [option]: 1 }, known, new Map([['handlers', 'on']]))
    expect(refuse).toThrow(
      `createReceiver has no option "${option}". ${suggestion} It takes: secret, store, on, timeoutMs.`,
    )
  })

  it.each(['connection', 'o', '_', 'xyz'])('is answered without a suggestion where none resembles it: %s', (option) => {
    expect(() => refuseUnknownOptions('createReceiver', { [option]: 1 }, ['on', 'secret'])).toThrow(
      new OptionError(option, `createReceiver has no option "${option}". It takes: on, secret.`),
    )
  })

  it.each([undefined, null, 'a string', 7, () => ({})])('is no object of options: %s', (options) => {
    expect(() => make(options as unknown as object)()).toThrow(
      new OptionError('options', 'createReceiver needs an object of options. It takes: secret, store.'),
    )
  })

  it('may have the name of what every object inherits: toString', () =>
    expect(make({ toString: 1 })).toThrow(OptionError))

  it('is none that exists, even without a value', () => expect(make({ secret: undefined })).not.toThrow())
})
