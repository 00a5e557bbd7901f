import type { Run } from '../context/context.ts'
import { EXIT_CODES } from '../errors/failure.ts'
import { gapsIn } from '../local-copy/gaps.ts'
import { readCopy } from '../local-copy/local-copy.ts'
import { snakeCased } from '../terminal/output.ts'
import { cut, printable, wrap } from '../terminal/width.ts'
import { newCommand } from './new-command.ts'

export const command = (run: Run) =>
  newCommand({
    description:
      'Says why a note is in the local copy or not: what was read of it and when, which events came, and what the next pull will do. It does not contact the service. It exits with 1 if nothing has ever named the note.',
    settings: ['database', 'integration'],
    examples: {
      'explain note_7c2f': 'in sentences',
      'explain note_7c2f --json': 'with everything that is known of the note but its content',
    },
    next: 'To read the note again: notewire pull. To see whether events arrive: notewire listen.',
  })
    .argument('<note>', 'the id of the note, as notewire search shows it')
    .action(
      run(({ output, ...context }, note) =>
        readCopy(context, async ({ mirror, file }) => {
          const { noteId, presence, reasons, state } = await mirror.explain(note)
          const title = (await mirror.get(note))?.note.title
          const isHeld = state?.heldByFullListing !== undefined && state.heldByFullListing !== null
          const nextStep = isHeld ? [`Accept the removals of all held notes: ${file.pull} --accept-removals`] : []
          const lines = [
            `${output.paint('bold', printable(noteId))}  ${presence}`,
            ...(title === undefined || title === null ? [] : [cut(printable(title), output.width)]),
            ...[...reasons, ...nextStep].flatMap((reason) => wrap(reason, output.width, '  ')),
          ]
          await output.print({ note_id: noteId, presence, reasons, state: state && snakeCased(state) }, lines)
          if (presence !== 'unknown') return EXIT_CODES.done
          gapsIn(await mirror.status(), file).forEach(output.warn)
          return EXIT_CODES.failed
        }),
      ),
    )
