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
const SHELL = group('For your shell:')

/** Every command, in the order of the help. Only the file of the typed command is imported, because some imports take long. */
export const COMMANDS: readonly CommandEntry[] = [
  NOTES('pull', 'copy your notes into SQLite, or update the copy', () => import('./pull/pull.ts')),
  NOTES('export', 'write the copy as Markdown files, or as JSON Lines', () => import('./export/export.ts')),
  NOTES('search', 'find notes in the copy by their words', () => import('./search.ts')),
  NOTES('explain', 'say why a note is in the copy or not', () => import('./explain.ts')),
  NOTES('api', 'send one request to the notes service', () => import('./api.ts')),
  NOTES('status', 'show the state of the copy, and what it needs', () => import('./status.ts')),
  WEBHOOKS('endpoints', 'register, list, change, test and delete endpoints', () => import('./endpoints/endpoints.ts')),
  WEBHOOKS(
    'listen',
    'receive, verify, show and forward deliveries on this machine',
    () => import('./listen/listen.ts'),
  ),
  WEBHOOKS('verify', 'verify a captured delivery, and say why it fails', () => import('./verify/verify.ts')),
  WEBHOOKS('doctor', 'check how a receiver answers valid and invalid deliveries', () => import('./doctor/doctor.ts')),
  MOCK('mock', 'run a mock notes service on a port of this machine', () => import('./mock.ts')),
  MOCK('trigger', 'make an event happen at the mock notes service', () => import('./trigger.ts')),
  SHELL('completion', 'print a script that completes commands and options', () => import('./completion.ts')),
]

function group(heading: string) {
  return (name: string, summary: string, load: CommandEntry['load']): CommandEntry => ({ name, summary, heading, load })
}
