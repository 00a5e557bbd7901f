import { describe, expect, it } from 'vitest'
import { handWritten } from '../../../fixtures/commands/doctor/hand-written-receiver.ts'
import { TEST_SECRET } from '../../../fixtures/commands/doctor/secrets.ts'
import { startReceiver } from '../../../fixtures/commands/doctor/start-receiver.ts'
import { displayWidth } from '../../terminal/width.ts'
import { CHECKS, namesOfChecks } from './catalogue.ts'
import { examineReceiver } from './examine-receiver.ts'
import { latencyOf, type ReceiverReport, renderChecks, renderText } from './report.ts'

const PLAIN = { width: 80, paint: (_format: unknown, text: string) => text }

describe('a report', () => {
  it('fits into 80 columns as text, except the curl commands', async () => {
    const text = renderText(await aReport(), PLAIN)
    const lines = text.split('\n').filter((line) => !/^(?:curl| {2}-H| {2}--data|printf|\{ printf)/.test(line))
    for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(80)
    expect(text).toMatch(
      /The receiver does not follow the contract\.\n\d+ failed, \d+ warned, \d+ passed, \d+ not tested\n/,
    )
  })

  it('shows failures before warnings', async () => {
    const text = renderText(await aReport(), PLAIN)
    expect(text).toContain('\nNot tested\n')
    const marks = [...text.matchAll(/^(✗|!) (?:failed|warned)/gm)].map(([, mark]) => mark).join('')
    expect(marks).toMatch(/^✗+!+$/)
  })

  it('has the median, 95th percentile and maximum of the response times', () => {
    expect(latencyOf([])).toBeUndefined()
    expect(latencyOf([7])).toEqual({ p50_ms: 7, p95_ms: 7, max_ms: 7 })
    expect(latencyOf(Array.from({ length: 100 }, (_, index) => 100 - index))).toEqual({
      p50_ms: 50,
      p95_ms: 95,
      max_ms: 100,
    })
  })
})

describe('the list of checks', () => {
  it('has unique IDs, a section and a fix for each check, and requires only earlier checks', () => {
    const ids = CHECKS.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [index, { id, section, fix, requires }] of CHECKS.entries()) {
      expect(id).toMatch(/^[a-z]+\.[a-z0-9.-]+$/)
      expect(section).toMatch(/§\d|open point \d+/)
      expect(fix.length, id).toBeGreaterThan(20)
      if (requires !== undefined) expect(ids.slice(0, index)).toContain(requires)
    }
  })

  it('fits into 80 columns', () => {
    const text = renderChecks(CHECKS, PLAIN)
    for (const line of text.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(80)
    for (const { id } of CHECKS) expect(text).toContain(`  ${id}  `)
  })

  it('can be chosen by check and by group', () => {
    expect(namesOfChecks()).toEqual(expect.arrayContaining(['signature', 'body', 'body.non-ascii', 'event.note.ended']))
  })
})

async function aReport(): Promise<ReceiverReport> {
  await using receiver = await startReceiver(
    handWritten({
      isCurrent: () => true,
      maxBytes: 1_000,
      signedContent: (id, timestamp, raw) => `${id}.${timestamp}.${raw}`,
    }),
  )
  return await examineReceiver({ url: receiver.url, secret: TEST_SECRET })
}
