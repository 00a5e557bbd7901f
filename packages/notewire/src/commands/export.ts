import { resolve } from 'node:path'
import { EXIT_CODES, type ExitCode } from '../exit-code.ts'
import { exportFolder } from '../exporting/folder/export-folder.ts'
import { exportLines, type LinesOptions, type LinesReport } from '../exporting/json-lines/export-json-lines.ts'
import { writeLinesFile } from '../exporting/json-lines/lines-file.ts'
import { type Copy, readCopy } from '../local-copy/open-copy.ts'
import { CLIENT_SETTINGS } from '../notes-client.ts'
import { pullNotes, showPull, USUAL_WISHES } from '../pulling/pull-notes.ts'
import { amount, grouped, spell } from '../terminal/amounts.ts'
import { UsageError } from '../usage-error.ts'
import { defineCommand, type Surroundings } from './command.ts'
import { flag, option, required, type ValuesOf } from './declarations.ts'
import { oneOf, path, text } from './value-readers.ts'

const OPTIONS = {
  format: option('--format <format>', 'one file a note, or one line a note', oneOf(['markdown', 'jsonl']), 'markdown'),
  full: flag('--full', 'write every file anew, not only what has changed'),
  after: option('--after <position>', 'with jsonl to -: what changed behind this position', text),
  pull: flag('--pull', 'pull first'),
}

/** Where JSON Lines go that are to be piped. */
const STDOUT = '-'

/** `notewire export`. */
export const exportNotes = defineCommand({
  description:
    'Writes the local copy as Markdown, one file a note with YAML front matter, for you alone. The next export writes what has changed, moves the file of a note that has a new title, and deletes the files of notes that are gone; files of yours in the folder stay as they are. With --format jsonl, all notes as one file of JSON Lines, replaced as a whole; or to stdout, all or what has changed since.',
  arguments: { target: required('target', 'the folder; with --format jsonl, the file, or - for stdout', path) },
  options: OPTIONS,
  settings: [...CLIENT_SETTINGS, 'notesField', 'database'],
  examples: [
    ['export notes --pull', 'one command for a cron job: notes/2026-01-05-stand-up--4k2d9x0a.md'],
    ['export notes.jsonl --format jsonl', 'all of it in one file'],
    ['export - --format jsonl --after 7f…:1840', 'what has changed since, as a stream'],
  ],
  next: 'Open the folder in an editor for Markdown. Your edits are lost when a note changes: export writes, it does not merge.',
  async run({ arguments: { target }, options, ...surroundings }) {
    refuseContradictions(target, options)
    const pulled = options.pull ? await pullFirst(target, surroundings) : EXIT_CODES.done
    await readCopy(surroundings, (copy) => exportTo(target, options, copy, surroundings))
    return pulled
  },
})

type Options = ValuesOf<typeof OPTIONS>

function refuseContradictions(target: string, { format, full, after }: Options): void {
  if (format === 'markdown' && target === STDOUT) {
    throw new UsageError('Markdown is written to a folder. Name one, or pass --format jsonl to write to stdout.')
  }
  if (after !== undefined && target !== STDOUT) {
    throw new UsageError('--after goes with JSON Lines on stdout: notewire export - --format jsonl --after <position>.')
  }
  if (full && format === 'jsonl') throw new UsageError('--full is for folders: JSON Lines are always written in full.')
}

/** What is exported to stdout has it for itself. */
async function pullFirst(target: string, surroundings: Surroundings): Promise<ExitCode> {
  const report = await pullNotes(USUAL_WISHES, surroundings)
  if (target !== STDOUT && !surroundings.output.json) return await showPull(report, surroundings)
  return report.isSettled && report.held.length === 0 ? EXIT_CODES.done : EXIT_CODES.failed
}

async function exportTo(target: string, options: Options, copy: Copy, surroundings: Surroundings): Promise<void> {
  const { output, signal, progress, workingFolder, clock } = surroundings
  const began = clock.now()
  const bar = progress('Exporting')
  const onProgress = (done: number) => bar.update(done)
  if (!(await copy.mirror.status()).isBackfilled) {
    output.warn('The first pull has not ended: this is not all. Go on with it: notewire pull')
  }
  const place = resolve(workingFolder, target)
  if (options.format === 'markdown') {
    const folder = { folder: place, shown: target, full: options.full, signal, onProgress }
    const { files, written, removed, position } = await exportFolder(copy.mirror, folder).finally(() => bar.finish())
    await output.print(
      { target, format: options.format, files, written, removed, position, took_ms: clock.now() - began },
      `${output.paint('green', '✓')} ${amount(files, 'file')} in ${target}: ${grouped(written)} written, ${grouped(removed)} removed, in ${spell(clock.now() - began)}`,
    )
    return
  }
  const lines = { after: options.after, signal, onProgress }
  if (target === STDOUT) await exportLines(copy.mirror, output.printRaw, lines).finally(() => bar.finish())
  else {
    const { lines: written, position } = await exportFile(copy, place, target, lines).finally(() => bar.finish())
    await output.print(
      { target, format: options.format, lines: written, position, took_ms: clock.now() - began },
      `${output.paint('green', '✓')} ${amount(written, 'note')} in ${target}, in ${spell(clock.now() - began)}`,
    )
  }
}

async function exportFile(copy: Copy, place: string, shown: string, options: LinesOptions): Promise<LinesReport> {
  return await writeLinesFile(place, shown, (write) => exportLines(copy.mirror, write, options))
}
