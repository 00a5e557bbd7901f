import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Run } from '../context/context.ts'

export interface CommandEntry {
  readonly name: string
  /** One line for the list of commands, without a full stop. */
  readonly summary: string
  readonly heading: string
  readonly load: () => Promise<{ readonly command: (run: Run) => CommandUnknownOpts }>
}

const NOTES = group('Your notes:')
const WEBHOOKS = group('Webhooks:')
const MOCK = group('A mock notes service:')

/** Every command, in the order of the help. Only the file of the typed command is imported, because some imports take long. */
export const COMMANDS: readonly CommandEntry[] = [
  NOTES('pull', 'copy your notes into SQLite, or update the copy', () => import('./pull.ts')),
  NOTES('watch', 'keep the copy up to date, and show changes as they happen', () => import('./watch.ts')),
  NOTES('export', 'write the copy as Markdown files, or as JSON Lines', () => import('./export.ts')),
  NOTES('search', 'find notes in the copy by their words', () => import('./search.ts')),
  NOTES('explain', 'say why a note is in the copy or not', () => import('./explain.ts')),
  NOTES('status', 'show the state of the copy, and what it needs', () => import('./status.ts')),
  WEBHOOKS('endpoints', 'register, list, change, test and delete endpoints', () => import('./endpoints.ts')),
  WEBHOOKS('listen', 'receive, verify, show and forward deliveries on this machine', () => import('./listen.ts')),
  WEBHOOKS('verify', 'verify a captured delivery, and say why it fails', () => import('./verify.ts')),
  WEBHOOKS('doctor', 'check how a receiver answers valid and invalid deliveries', () => import('./doctor.ts')),
  MOCK('mock', 'run a mock notes service on a port of this machine', () => import('./mock.ts')),
  MOCK('trigger', 'make an event happen at the mock notes service', () => import('./trigger.ts')),
]

function group(heading: string) {
  return (name: string, summary: string, load: CommandEntry['load']): CommandEntry => ({ name, summary, heading, load })
}
