import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createOutput } from './output.ts'
import { createProgress } from './progress.ts'
import { Screen } from './screen.ts'

describe('progress', () => {
  it('is a bar on a terminal, which is removed at the end', () => {
    const { screen, shown } = aScreen({ isTTY: true })
    const progress = createProgress(screen, false, 'Notes')
    progress.update(50, 100)
    expect(stripVTControlCharacters(shown())).toMatch(/Notes {2}█{12}░{12} {2}50 of 100 \(50 %\)$/)
    progress.finish()
    expect(shown()).toMatch(/.\[2K$/)
  })

  it('is only the number if the total is not known', () => {
    const { screen, shown } = aScreen({ isTTY: true })
    const progress = createProgress(screen, false, 'Notes')
    progress.update(1)
    progress.finish()
    expect(stripVTControlCharacters(shown())).toMatch(/Notes {2}1$/)
  })

  it('is removed before a result, and drawn again with the next progress', async () => {
    const { screen, shown } = aScreen({ isTTY: true })
    const progress = createProgress(screen, false, 'Notes')
    progress.update(1)
    await createOutput(screen, false).print({}, 'a result')
    progress.update(2)
    progress.finish()
    expect(shown()).toMatch(/Notes {2}1.*.\[2Ka result\n.*Notes {2}2/)
  })

  it.each([
    ['in a pipe', { isTTY: false }, false],
    ['with --json', { isTTY: true }, true],
  ])('is nothing %s', (_where, traits, json) => {
    const { screen, shown } = aScreen(traits)
    const progress = createProgress(screen, json, 'Notes')
    progress.update(1, 2)
    progress.finish()
    expect(shown()).toBe('')
  })
})

/** Both streams of one terminal, or of one pipe. */
function aScreen(traits: { readonly isTTY: boolean }) {
  const stream = Object.assign(new PassThrough(), { columns: 80, clearLine, cursorTo, ...traits })
  function clearLine() {
    stream.write('\u001b[2K')
  }
  function cursorTo() {
    stream.write('\r')
  }
  const sink = stream as unknown as NodeJS.WriteStream
  return {
    screen: new Screen(sink, sink, new AbortController().signal),
    shown: () => String(stream.read() ?? ''),
  }
}
