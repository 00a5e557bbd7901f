import { OptionError } from '@notewire/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeCheckpoint, encodeCheckpoint, type Progress } from './checkpoint.ts'

const watermark = fc.option(fc.date({ noInvalidDate: true }).map((date) => date.getTime()))
const cursor = fc.string({ minLength: 1, unit: 'binary' })
const progress: fc.Arbitrary<Progress> = fc.oneof(
  fc.record({ since: watermark }),
  fc.record({ since: watermark, underWay: fc.record({ cursor, until: watermark }) }),
)

describe('a checkpoint', () => {
  it('decodes to the progress that was encoded', () => {
    fc.assert(
      fc.property(progress, (facts) => {
        expect(decodeCheckpoint(encodeCheckpoint(facts))).toEqual(facts)
      }),
    )
  })

  it('is ASCII without spaces, which fits any file, column, header or URL', () => {
    fc.assert(
      fc.property(progress, (facts) => {
        expect(encodeCheckpoint(facts)).toMatch(/^changes\.1\.[\w-]+$/)
      }),
    )
  })

  it('keeps a cursor that is not well-formed Unicode', () => {
    const facts = { since: null, underWay: { cursor: '\ud800"\\\n', until: 0 } }
    expect(decodeCheckpoint(encodeCheckpoint(facts))).toEqual(facts)
  })

  it('is rejected if it was cut off', () => {
    fc.assert(
      fc.property(progress, fc.nat(), (facts, length) => {
        const checkpoint = encodeCheckpoint(facts)
        expect(refusalOf(checkpoint.slice(0, length % checkpoint.length))).toBeInstanceOf(OptionError)
      }),
    )
  })

  it('of another version is rejected with an error that names the version', () => {
    expect(String(refusalOf('changes.2.W10'))).toContain('version 2')
  })

  it.each([
    '',
    ' ',
    'cursor-7',
    '2026-01-01T00:00:00.000Z',
    'ntw_live_k7.s3cret',
    'changes.1.',
    'changes.1.!!',
    checkpointOf([]),
    checkpointOf({}),
    checkpointOf(['2026-01-01']),
    checkpointOf([1.5]),
    checkpointOf([8_640_000_000_000_001]),
    checkpointOf([0, 0]),
    checkpointOf([0, 0, '']),
    checkpointOf([0, '', 'c']),
    checkpointOf([0, 0, 'c', 1]),
    7,
    {},
    new Date(0),
  ])('cannot be %j; the error names the option and the next step, and does not quote the value', (value) => {
    const error = refusalOf(value)
    expect(error).toMatchObject({ code: 'option_invalid', option: 'after' })
    expect(String(error)).toMatch(/Pass the checkpoint of a page unchanged/)
    if (typeof value === 'string' && value.trim() !== '') expect(String(error)).not.toContain(value)
  })
})

function checkpointOf(facts: unknown): string {
  return `changes.1.${btoa(JSON.stringify(facts)).replaceAll('=', '')}`
}

function refusalOf(checkpoint: unknown): unknown {
  try {
    return decodeCheckpoint(checkpoint)
  } catch (error) {
    return error
  }
}
