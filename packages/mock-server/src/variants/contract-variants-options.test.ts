import { describe, expect, it } from 'vitest'
import { checked } from '../errors/checked.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import { contractSchema } from './contract-variants.ts'

const resolveContract = (variants: object) => checked('contract', contractSchema, variants)
const CONTRACT_DEFAULTS = resolveContract({})

describe('the variants of the contract', () => {
  it('have the default of every row', () => {
    expect(resolveContract({ notesField: undefined })).toEqual(CONTRACT_DEFAULTS)
    expect(resolveContract(CONTRACT_DEFAULTS)).toEqual(CONTRACT_DEFAULTS)
  })

  it('can be set one by one', () => {
    expect(resolveContract({ disableAfter: 3 })).toEqual({ ...CONTRACT_DEFAULTS, disableAfter: 3 })
  })

  it.each([
    ...Object.keys(CONTRACT_DEFAULTS).map((name) => [name, {}]),
    ['disableAfter', 0],
    ['debounceQuiet', 'soon'],
    ['cursorLifetime', -1],
    ['keyPrefix', 'a b'],
    ['keyForm', 'jwt'],
    ['notesField', ''],
    ['transcriptNotReady', 500],
    ['revision', 1],
  ])('are rejected by name: %s', (name, value) => {
    const resolve = () => resolveContract({ [String(name)]: value })
    expect(resolve).toThrow(MockServerError)
    expect(resolve).toThrow(String(name))
  })
})
