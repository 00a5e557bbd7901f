import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createOutput } from './output.ts'
import { createProgress } from './progress.ts'
import { Screen } from './screen.ts'

describe('progress', () => {
  it('is a bar on a terminal, which is removed at the end', () => {
    const { screen, shown } = aScreen({ isTTY: true })
    const progress = createProgress(screen, clock(), false, 'Notes')
    progress.update(50, 100)
    progress.finish()
    expect(shown()).toMatch(/Notes {2}█{12}░{12} {2}50 of 100 \(50 %\)\r.\[2K$/)
  })

  it('never reaches the edge of the terminal', () => {
    const { screen, shown } = aScreen({ isTTY: true, columns: 50 })
    createProgress(screen, clock(), false, 'A label that is rather long for a bar').update(1, 2)
    const [, line = ''] = shown().split('\u001b[2K')
    expect([...line].length).toBeLessThan(50)
  })

  it('is a shorter bar, or only the numbers, on a narrow terminal', () => {
    const { screen, shown } = aScreen({ isTTY: true, columns: 40 })
    createProgress(screen, clock(), false, 'Reading').update(1_570, 3_000)
    expect(shown()).toMatch(/Reading {2}█+░+ {2}1570 of 3000 \(52 %\)$/)
    const narrower = aScreen({ isTTY: true, columns: 40 })
    createProgress(narrower.screen, clock(), false, 'Looking for deletions').update(570, 3_000)
    expect(narrower.shown()).toMatch(/Looking for deletions {2}570 of 3000…?/)
  })

  it('is drawn again below a result', async () => {
    const { screen, shown } = aScreen({ isTTY: true })
    createProgress(screen, clock(), false, 'Notes').update(1)
    await createOutput(screen, false, { stdout: false, stderr: false }).print({}, 'a result')
    expect(shown()).toMatch(/Notes {2}1\r.\[2Ka result\n\r.\[2KNotes {2}1$/)
  })

  it('is a line every five seconds in a pipe', () => {
    const { screen, shown } = aScreen({ isTTY: false })
    const time = clock()
    const progress = createProgress(screen, time, false, 'Notes')
    for (let done = 1; done <= 11; done++) {
      time.ms += 1_000
      progress.update(done, 11)
    }
    progress.finish()
    expect(shown()).toBe('Notes: 5 of 11 (45 %)\nNotes: 10 of 11 (90 %)\n')
  })

  it('is nothing with --json', () => {
    const { screen, shown } = aScreen({ isTTY: true })
    createProgress(screen, clock(), true, 'Notes').update(1, 2)
    expect(shown()).toBe('')
  })
})

/** Both streams of one terminal, or of one pipe. */
function aScreen(traits: { readonly isTTY: boolean; readonly columns?: number }) {
  const stream = Object.assign(new PassThrough(), { columns: 80, ...traits })
  const sink = stream as unknown as NodeJS.WriteStream
  return {
    screen: new Screen(sink, sink, new AbortController().signal),
    shown: () => String(stream.read() ?? ''),
  }
}

function clock() {
  return {
    ms: 0,
    now() {
      return this.ms
    },
    sleep: () => Promise.resolve(),
  }
}
