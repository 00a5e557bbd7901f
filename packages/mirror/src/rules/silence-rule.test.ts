import { describe, expect, it } from 'vitest'
import { NO_PROGRESS } from '../integrations/progress.ts'
import { silenceAfter } from './silence-rule.ts'

const NOW = 1_000_000_000
const HOUR_MS = 3_600_000
const silent = { ...NO_PROGRESS.poll, unannounced: 3, heardAt: NOW - HOUR_MS }

describe('the events of an integration are silent', () => {
  it.each([
    ['if polls have found three changes since the last event, an hour ago', {}, true],
    ['not after two changes', { unannounced: 2 }, false],
    ['not within an hour of the last event', { heardAt: NOW - HOUR_MS + 1 }, false],
    ['not before the first event', { heardAt: null }, false],
  ])('%s', (_, traits, isSilent) => {
    const silence = silenceAfter(undefined, { ...silent, ...traits }, NOW)
    expect(silence).toEqual(isSilent ? { code: 'silent', since: NOW, isLogged: true } : undefined)
  })

  it('since the first poll that found it', () => {
    const known = { code: 'silent', since: NOW - 5000, isLogged: true }
    expect(silenceAfter(known, silent, NOW)).toBe(known)
  })

  it('until an event arrives', () => {
    const known = { code: 'silent', since: NOW - 5000, isLogged: true }
    expect(silenceAfter(known, { ...silent, unannounced: 0, heardAt: NOW }, NOW)).toBeUndefined()
  })
})
