import { OptionError } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { CONTRACT_DEFAULTS, type ContractVariants } from './contract-variants.ts'
import { resolveContract } from './resolve-contract.ts'

describe('the variants of the contract', () => {
  it('are the default of every row, where nothing else is said', () => {
    expect(resolveContract({})).toEqual(CONTRACT_DEFAULTS)
    expect(resolveContract({ notesField: undefined })).toEqual(CONTRACT_DEFAULTS)
    expect(resolveContract(CONTRACT_DEFAULTS)).toEqual(CONTRACT_DEFAULTS)
  })

  it('can be chosen one by one', () => {
    expect(resolveContract({ disableAfter: 3 })).toEqual({ ...CONTRACT_DEFAULTS, disableAfter: 3 })
  })

  it.each([
    ...Object.keys(CONTRACT_DEFAULTS).map((name) => [name, {}]),
    ['disableAfter', 0],
    ['debounceQuiet', 'soon'],
    ['cursorLifetime', -1],
    ['keyPrefix', 'a_b'],
    ['notesField', ''],
    ['transcriptNotReady', 500],
    ['revision', 1],
  ])('are refused by name when they cannot be: %s', (name, value) => {
    const refused = () => resolveContract({ [String(name)]: value } as ContractVariants)
    expect(refused).toThrow(OptionError)
    expect(refused).toThrow(String(name))
  })
})
