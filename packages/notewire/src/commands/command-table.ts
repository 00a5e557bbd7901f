import type { CommandEntry } from './command.ts'

const NOTES = 'Your notes:'
const WEBHOOKS = 'Webhooks:'
const TRYING = 'A service to try on:'
const PROGRAM = 'The program:'

/** Every command, in the order of the help. A command's file is loaded when it was typed, and not before. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'pull',
    summary: 'copy your notes into SQLite, and bring the copy up to date',
    heading: NOTES,
    load: async () => (await import('./pull.ts')).pull,
  },
  {
    name: 'watch',
    summary: 'keep the copy up to date, and show what changes as it happens',
    heading: NOTES,
    load: async () => (await import('./watch.ts')).watch,
  },
  {
    name: 'export',
    summary: 'write the copy as Markdown files, or as JSON Lines',
    heading: NOTES,
    load: async () => (await import('./export.ts')).exportNotes,
  },
  {
    name: 'search',
    summary: 'find notes in the copy by their words',
    heading: NOTES,
    load: async () => (await import('./search.ts')).search,
  },
  {
    name: 'explain',
    summary: 'say why a note is in the copy, or is not',
    heading: NOTES,
    load: async () => (await import('./explain.ts')).explain,
  },
  {
    name: 'status',
    summary: 'say how the copy is, and what it needs',
    heading: NOTES,
    load: async () => (await import('./status.ts')).status,
  },
  {
    name: 'endpoints',
    summary: 'register, list, test and delete endpoints; rotate secrets',
    heading: WEBHOOKS,
    load: async () => (await import('./endpoints/endpoints.ts')).endpoints,
  },
  {
    name: 'listen',
    summary: 'receive, verify and show deliveries on this machine; forward them',
    heading: WEBHOOKS,
    load: async () => (await import('./listen.ts')).listen,
  },
  {
    name: 'verify',
    summary: 'verify a captured delivery, and say why it fails',
    heading: WEBHOOKS,
    load: async () => (await import('./verify.ts')).verify,
  },
  {
    name: 'doctor',
    summary: 'find out what is wrong with a receiver, or which options fit a service',
    heading: WEBHOOKS,
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'mock',
    summary: 'play the notes service on a port of this machine',
    heading: TRYING,
    load: async () => (await import('./mock.ts')).mock,
  },
  {
    name: 'trigger',
    summary: 'make an event happen there',
    heading: TRYING,
    load: async () => (await import('./trigger.ts')).trigger,
  },
  {
    name: 'completion',
    summary: 'print a script that completes commands in your shell',
    heading: PROGRAM,
    load: async () => (await import('./completion.ts')).completion,
  },
  {
    name: 'complete',
    summary: 'print what could be typed next',
    isHidden: true,
    load: async () => (await import('./complete.ts')).complete,
  },
]
