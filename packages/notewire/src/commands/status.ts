import { EXIT_CODES } from '../exit-code.ts'
import { readCopy } from '../local-copy/open-copy.ts'
import { statusRecord, statusSentences } from '../reporting/describe-status.ts'
import { wrap } from '../terminal/width.ts'
import { defineCommand } from './command.ts'

/** `notewire status`. */
export const status = defineCommand({
  description:
    'Tells how the local copy is: how many notes, as of when it is known to be right, and what waits. It asks the service nothing. It ends with 1 when something needs somebody: no pull has ended yet, removals are held back, or events have stopped.',
  settings: ['database'],
  examples: [
    ['status', 'in sentences, each with what to do'],
    ['status --json || mail -s "notes" me', 'for a cron job'],
  ],
  next: 'Bring it up to date: notewire pull. Keep it so: notewire watch.',
  run: (surroundings) =>
    readCopy(surroundings, async ({ mirror, file }) => {
      const { output, clock } = surroundings
      const found = {
        database: file.shown,
        status: await mirror.status(),
        now: clock.now(),
      }
      const sentences = statusSentences(found)
      const needsSomebody = sentences.some((sentence) => sentence.needsSomebody)
      const lines = sentences.map((sentence) => {
        const mark = sentence.needsSomebody ? output.paint('yellow', '!') : ' '
        return `${mark} ${wrap(sentence.text, output.width, '  ').trimStart()}`
      })
      await output.print(statusRecord(found, needsSomebody), lines.join('\n'))
      return needsSomebody ? EXIT_CODES.failed : EXIT_CODES.done
    }),
})
