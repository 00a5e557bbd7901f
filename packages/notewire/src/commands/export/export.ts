import { resolve } from 'node:path'
import { Argument, Option } from '@commander-js/extra-typings'
import { path, text } from '../../configuration/value-readers.ts'
import type { Context, Run } from '../../context/context.ts'
import { EXIT_CODES, type ExitCode, UsageError } from '../../errors/failure.ts'
import { gapsIn } from '../../local-copy/gaps.ts'
import { type Copy, readCopy } from '../../local-copy/local-copy.ts'
import { amount, grouped, spell } from '../../terminal/amounts.ts'
import { newCommand } from '../new-command.ts'
import { pullNotes, showPull } from '../pull/pull-notes.ts'
import { exportFolder, type FolderReport } from './export-folder.ts'
import { exportLines, type LinesReport, writeLinesFile } from './json-lines.ts'

const STDOUT = '-'

export const command = (run: Run) =>
  declare().action(
    run(async (context, target, options) => {
      rejectConflicts(target, options)
      const exitCode = options.pull ? await pullFirst(target, context) : EXIT_CODES.done
      const isComplete = await readCopy(context, (copy) => exportTo(target, options, copy, context))
      return isComplete ? exitCode : EXIT_CODES.failed
    }),
  )

const declare = () =>
  newCommand({
    description:
      'Writes the local copy as Markdown, one file per note with YAML front matter, that only you can read. The next export writes the files that differ from their notes, renames the file of a note that has a new title, and deletes the files of notes that are gone. It does not touch other files in the folder. With --format jsonl, it writes all notes into one file of JSON Lines, which it replaces as a whole, or to stdout.',
    settings: ['baseUrl', 'apiKey', 'notesField', 'database', 'integration'],
    examples: {
      'export notes --pull': 'for a cron job: notes/2026-01-05-stand-up--4k2d9x0a.md',
      'export notes.jsonl --format jsonl': 'all notes in one file',
      'export - --format jsonl --after 7f…:1840': 'what has changed since, as a stream',
    },
    next: 'Open the folder in an editor for Markdown. The next export overwrites your edits of these files.',
  })
    .addArgument(new Argument('<target>', 'the folder; with --format jsonl, the file, or - for stdout').argParser(path))
    .addOption(
      new Option('--format <format>', 'one file per note, or one line per note')
        .choices(['markdown', 'jsonl'] as const)
        .default('markdown' as const),
    )
    .option('--after <position>', 'with jsonl to stdout: only what changed after this position', text)
    .option('--pull', 'pull first')

type Options = ReturnType<ReturnType<typeof declare>['opts']>

function rejectConflicts(target: string, { format, after }: Options): void {
  if (format === 'markdown' && target === STDOUT) {
    throw new UsageError('Markdown is written to a folder. Name one, or pass --format jsonl to write to stdout.')
  }
  if (format === 'markdown' && /\.jsonl$/i.test(target)) {
    throw new UsageError(
      `${target} looks like a file, and Markdown is written to a folder. Pass --format jsonl, or name a folder.`,
    )
  }
  if (after !== undefined && target !== STDOUT) {
    throw new UsageError('--after goes with JSON Lines on stdout: notewire export - --format jsonl --after <position>.')
  }
}

/** Pulls, and shows the report unless the export is written to stdout. */
async function pullFirst(target: string, context: Context): Promise<ExitCode> {
  const report = await pullNotes({}, context)
  if (target !== STDOUT && !context.output.json) return await showPull(report, context)
  return report.isSettled && report.held.length === 0 ? EXIT_CODES.done : EXIT_CODES.failed
}

/** @returns whether the copy, and therefore the export, is complete */
async function exportTo(target: string, options: Options, copy: Copy, context: Context): Promise<boolean> {
  const { output, signal, progress, workingFolder, clock } = context
  const startedAt = clock.now()
  const bar = progress('Exporting')
  const onProgress = (done: number) => bar.update(done)
  const before = gapsIn(await copy.mirror.status(), copy.file)
  const place = resolve(workingFolder, target)
  /** Says what was exported, and what the copy lacked before or meanwhile. @returns whether the export is complete */
  const show = async ({ incomplete, ...counts }: FolderReport | LinesReport, what: string, change = '') => {
    const gaps = before.length > 0 ? before : gapsMeanwhile(incomplete)
    const isComplete = gaps.length === 0
    const tookMs = clock.now() - startedAt
    const record = { target, format: options.format, ...counts, complete: isComplete, took_ms: tookMs }
    const mark = isComplete ? output.paint('green', '✓') : output.paint('yellow', '!')
    if (target !== STDOUT) await output.print(record, `${mark} ${what} in ${target}${change}, in ${spell(tookMs)}`)
    bar.finish()
    gaps.forEach(output.warn)
    return isComplete
  }
  try {
    if (options.format === 'markdown') {
      const { integration } = copy.file
      const report = await exportFolder(copy.mirror, { folder: place, integration, shown: target, signal, onProgress })
      const change = `: ${grouped(report.written)} written, ${grouped(report.removed)} removed`
      return await show(report, amount(report.files, 'file'), change)
    }
    const lines = { after: options.after, signal, onProgress }
    const report =
      target === STDOUT
        ? await exportLines(copy.mirror, output.printJson, lines)
        : await writeLinesFile(place, target, (write) => exportLines(copy.mirror, write, lines))
    return await show(report, amount(report.lines, 'note'))
  } finally {
    bar.finish()
  }
}

/** What an export lacks although the copy was complete before: a pull runs at the same time. */
function gapsMeanwhile(incomplete: number): readonly string[] {
  if (incomplete === 0) return []
  const notes = amount(incomplete, 'note was', 'notes were')
  return [
    `${notes} exported without the current transcript or summary, which a pull reads now. Export again when the pull has ended.`,
  ]
}
