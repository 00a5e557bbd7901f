import { styleText } from 'node:util'
import { Presets, SingleBar } from 'cli-progress'

let chapters = 0

export function title(text: string): void {
  console.log(`\n${styleText('bold', text)}\n`)
}

export function chapter(text: string): void {
  chapters += 1
  console.log(`\n${styleText(['bold', 'cyan'], `${chapters}  ${text}`)}`)
}

export function say(text: string): void {
  console.log(`   ${text}`)
}

/** Prints counts, with the numbers first. */
export function table(heading: string, counts: Readonly<Record<string, number>>): void {
  console.log(`   ${styleText('dim', heading)}`)
  for (const [what, count] of Object.entries(counts)) console.log(`   ${String(count).padStart(6)}  ${what}`)
}

/** Shows a bar on a terminal; in a pipe, it prints one line at the end. */
export function progressBar(what: string, total: number): { step(): void; done(): void } {
  const format = `   {bar} {value}/{total} ${what}`
  const bar = process.stdout.isTTY ? new SingleBar({ format, hideCursor: true }, Presets.shades_classic) : undefined
  let steps = 0
  bar?.start(total, 0)
  return {
    step() {
      steps += 1
      bar?.increment()
    },
    done() {
      bar?.stop()
      if (bar === undefined) say(`${steps}/${total} ${what}`)
    },
  }
}
