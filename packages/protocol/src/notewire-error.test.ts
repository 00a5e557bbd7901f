import { describe, expect, it } from 'vitest'
import { NotewireError } from './errors.ts'
import { OptionError, refuseUnknownOptions } from './options.ts'

describe('NotewireError', () => {
  const error = new NotewireError('secret_missing', 'there is no secret. Set one.')

  it('has a code', () => expect(error.code).toBe('secret_missing'))

  it('shows its code and its message when it is printed', () => {
    expect(String(error)).toBe('NotewireError [secret_missing]: there is no secret. Set one.')
  })

  it('keeps its cause', () => {
    const cause = new Error('connection refused')
    expect(new NotewireError('network', 'there was no answer.', { cause }).cause).toBe(cause)
  })
})

describe('refuseUnknownOptions', () => {
  const make = (options: object) => () => refuseUnknownOptions('createReceiver', options, ['secret', 'store'])

  it('throws an error with the unknown option and the known options', () => {
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
  ])('suggests the option that resembles the unknown one, or its alias: %s', (option, suggestion) => {
    const known = ['secret', 'store', 'on', 'timeoutMs']
    const refuse = () => refuseUnknownOptions('createReceiver', { [option]: 1 }, known, new Map([['handlers', 'on']]))
    expect(refuse).toThrow(
      `createReceiver has no option "${option}". ${suggestion} It takes: secret, store, on, timeoutMs.`,
    )
  })

  it.each(['connection', 'o', '_', 'xyz'])('suggests nothing if no option resembles the unknown one: %s', (option) => {
    expect(() => refuseUnknownOptions('createReceiver', { [option]: 1 }, ['on', 'secret'])).toThrow(
      new OptionError(option, `createReceiver has no option "${option}". It takes: on, secret.`),
    )
  })

  it.each([undefined, null, 'a string', 7, () => ({})])('refuses options that are not an object: %s', (options) => {
    expect(() => make(options as unknown as object)()).toThrow(
      new OptionError('options', 'createReceiver needs an object of options. It takes: secret, store.'),
    )
  })

  it('refuses the name of an inherited property: toString', () => expect(make({ toString: 1 })).toThrow(OptionError))

  it('accepts a known option that is undefined', () => expect(make({ secret: undefined })).not.toThrow())
})
