import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Run } from '../context/context.ts'

/** A row of the table of commands. */
export interface CommandEntry {
  readonly name: string
  /** One line for the list of commands, without a full stop. */
  readonly summary: string
  /** The heading under which the list shows it. */
  readonly heading: string
  /** Imports the file of the command, and declares it. */
  readonly load: (run: Run) => Promise<CommandUnknownOpts>
}

const NOTES = 'Your notes:'
const WEBHOOKS = 'Webhooks:'
const MOCK = 'A mock notes service:'

/** Every command, in the order of the help. Only the file of the command that was typed is imported: some take long. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'pull',
    summary: 'copy your notes into SQLite, or update the copy',
    heading: NOTES,
    load: async (run) => (await import('./pull.ts')).pull(run),
  },
  {
    name: 'watch',
    summary: 'keep the copy up to date, and show changes as they happen',
    heading: NOTES,
    load: async (run) => (await import('./watch.ts')).watch(run),
  },
  {
    name: 'export',
    summary: 'write the copy as Markdown files, or as JSON Lines',
    heading: NOTES,
    load: async (run) => (await import('./export.ts')).exportNotes(run),
  },
  {
    name: 'search',
    summary: 'find notes in the copy by their words',
    heading: NOTES,
    load: async (run) => (await import('./search.ts')).search(run),
  },
  {
    name: 'explain',
    summary: 'say why a note is in the copy or not',
    heading: NOTES,
    load: async (run) => (await import('./explain.ts')).explain(run),
  },
  {
    name: 'status',
    summary: 'show the state of the copy, and what it needs',
    heading: NOTES,
    load: async (run) => (await import('./status.ts')).status(run),
  },
  {
    name: 'endpoints',
    summary: 'register, list, update, test and delete endpoints; rotate secrets',
    heading: WEBHOOKS,
    load: async (run) => (await import('./endpoints.ts')).endpoints(run),
  },
  {
    name: 'listen',
    summary: 'receive, verify and show deliveries on this machine; forward them',
    heading: WEBHOOKS,
    load: async (run) => (await import('./listen.ts')).listen(run),
  },
  {
    name: 'verify',
    summary: 'verify a captured delivery, and say why it fails',
    heading: WEBHOOKS,
    load: async (run) => (await import('./verify.ts')).verify(run),
  },
  {
    name: 'doctor',
    summary: 'check how a receiver answers valid and invalid deliveries',
    heading: WEBHOOKS,
    load: async (run) => (await import('./doctor.ts')).doctor(run),
  },
  {
    name: 'mock',
    summary: 'run a mock notes service on a port of this machine',
    heading: MOCK,
    load: async (run) => (await import('./mock.ts')).mock(run),
  },
  {
    name: 'trigger',
    summary: 'make an event happen at the mock notes service',
    heading: MOCK,
    load: async (run) => (await import('./trigger.ts')).trigger(run),
  },
]
