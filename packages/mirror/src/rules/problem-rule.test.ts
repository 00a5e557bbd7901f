import { describe, expect, it } from 'vitest'
import { codeOf, problemOf, stepAfter } from './problem-rule.ts'

const NOW = 1_000_000_000
const EARLIER = NOW - 5000

const unlogged = { code: 'unauthorized', since: EARLIER }
const logged = { ...unlogged, isLogged: true }

describe('work that logs its problems', () => {
  it('logs the beginning of a problem', () => {
    const problem = { code: 'unauthorized', since: NOW, isLogged: true }
    const change = { kind: 'begun', problem }
    expect(stepAfter(undefined, 'unauthorized', true, NOW)).toEqual({ problem, isChanged: true, change })
  })

  it('logs the beginning of a problem that a call has stored, since it was stored', () => {
    const change = { kind: 'begun', problem: logged }
    expect(stepAfter(unlogged, 'unauthorized', true, NOW)).toEqual({ problem: logged, isChanged: true, change })
  })

  it('neither logs nor stores the same problem again', () => {
    expect(stepAfter(logged, 'unauthorized', true, NOW)).toEqual({ problem: logged, isChanged: false })
  })

  it('logs another code, and the problem began when the first code was reported', () => {
    const problem = { ...logged, code: 'rate_limited' }
    const change = { kind: 'changed', problem }
    expect(stepAfter(logged, 'rate_limited', true, NOW)).toEqual({ problem, isChanged: true, change })
  })

  it('takes no beginning in the future from a clock that was ahead', () => {
    const ahead = { ...logged, since: NOW + 5000 }
    expect(stepAfter(ahead, 'rate_limited', true, NOW).problem?.since).toBe(NOW)
  })
})

describe('a call that rejects', () => {
  it('stores a problem, and logs nothing', () => {
    const problem = { code: 'unauthorized', since: NOW }
    expect(stepAfter(undefined, 'unauthorized', false, NOW)).toStrictEqual({
      ...{ problem, isChanged: true, change: undefined },
    })
  })

  it.each([unlogged, logged])('does not store the same problem again', (known) => {
    expect(stepAfter(known, 'unauthorized', false, NOW)).toEqual({ problem: known, isChanged: false })
  })

  it.each([unlogged, logged])('stores another code, and that the problem was logged, if it was', (known) => {
    const problem = { ...known, code: 'rate_limited' }
    expect(stepAfter(known, 'rate_limited', false, NOW)).toStrictEqual({ problem, isChanged: true, change: undefined })
  })
})

describe('work without an error', () => {
  it('logs the end of a logged problem', () => {
    const change = { kind: 'over', problem: logged }
    expect(stepAfter(logged, undefined, true, NOW)).toEqual({ problem: undefined, isChanged: true, change })
  })

  it('removes a problem that was not logged, without a word', () => {
    expect(stepAfter(unlogged, undefined, true, NOW)).toEqual({ problem: undefined, isChanged: true })
  })

  it('changes nothing without a problem', () => {
    expect(stepAfter(undefined, undefined, true, NOW)).toEqual({ problem: undefined, isChanged: false })
  })
})

describe('the problem of a status', () => {
  it.each([
    ['has the time at which it began', logged, { code: 'unauthorized', since: new Date(EARLIER) }],
    ['began now, if a clock that was ahead wrote it', { ...logged, since: NOW + 1 }, { since: new Date(NOW) }],
  ])('%s', (_, stored, problem) => {
    expect(problemOf(stored, NOW)).toMatchObject(problem)
  })

  it('is null without a stored one', () => {
    expect(problemOf(undefined, NOW)).toBeNull()
  })
})

describe('the code of an error', () => {
  it.each([
    ['its code', Object.assign(new Error('full'), { code: 'ENOSPC' }), 'ENOSPC'],
    ['its name, if it has no code', new TypeError('no'), 'TypeError'],
  ])('is %s', (_, error, code) => {
    expect(codeOf(error)).toBe(code)
  })
})
