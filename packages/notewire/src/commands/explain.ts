import { EXIT_CODES } from '../exit-code.ts'
import { readCopy } from '../local-copy/open-copy.ts'
import { cut, printable, wrap } from '../terminal/width.ts'
import { inWordsOfTheProgram } from '../terminal/words-of-the-program.ts'
import { defineCommand } from './command.ts'
import { required } from './declarations.ts'
import { text } from './value-readers.ts'

/** `notewire explain`. */
export const explain = defineCommand({
  description:
    'Tells why a note is in the local copy, or is not: what was read of it and when, which events came, and what is still to be done. It asks the service nothing, and ends with 1 when nothing ever named the note.',
  arguments: { note: required('note', 'the id of the note, as notewire search shows it', text) },
  settings: ['database'],
  examples: [
    ['explain note_7c2f', 'in sentences'],
    ['explain note_7c2f --json', 'with everything that is known of it but its content'],
  ],
  next: 'Have it read again: notewire pull. See whether events come: notewire listen.',
  run: ({ arguments: { note }, output, ...surroundings }) =>
    readCopy(surroundings, async ({ mirror }) => {
      const { noteId, presence, reasons, state } = await mirror.explain(note)
      const title = (await mirror.get(note))?.note.title
      const sentences = reasons.map(inWordsOfTheProgram)
      const lines = [
        `${output.paint('bold', printable(noteId))}  ${presence}`,
        ...(title === undefined || title === null ? [] : [cut(printable(title), output.width)]),
        ...sentences.map((sentence) => wrap(printable(sentence), output.width, '  ')),
      ]
      await output.print({ note_id: noteId, presence, reasons: sentences, state }, lines.join('\n'))
      return presence === 'unknown' ? EXIT_CODES.failed : EXIT_CODES.done
    }),
})
