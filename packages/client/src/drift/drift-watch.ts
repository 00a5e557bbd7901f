import { callHook, type Drift, shortWord } from '@notewire/protocol'
import {
  noteSchema,
  summarySchema,
  transcriptSchema,
  unknownPartsOf,
  webhookEndpointWithSecretSchema,
} from '@notewire/protocol/schemas'
import type { DriftNotice, NotesClientHooks } from '../options/hooks.ts'

// The watch remembers every notice, and a service may invent new values without end.
const MAX_NOTICES = 1000

// Not the keys of `SCHEMAS`, and not `ShapeReading`: these types are in the published declarations, and the types of zod are slow to check.
type ResourceName = 'note' | 'transcript' | 'summary' | 'webhook_endpoint'

type ResourceReading = { readonly drift: readonly Drift[] } & (
  | { readonly status: 'read'; readonly value: object }
  | { readonly status: 'refused' }
)

const SCHEMAS = {
  note: noteSchema,
  transcript: transcriptSchema,
  summary: summarySchema,
  webhook_endpoint: webhookEndpointWithSecretSchema,
} satisfies Readonly<Record<ResourceName, object>>

/** Reports where a resource differs from what this version knows. */
export type DriftWatch = (name: ResourceName, reading: ResourceReading) => void

/** Calls the hook `onDrift` for the fields and values that this version does not know, and for fields of other types, once for each. */
export function createDriftWatch(onDrift: NotesClientHooks['onDrift']): DriftWatch {
  if (onDrift === undefined) return () => undefined
  const reported = new Set<string>()
  return (name, reading) => {
    if (reported.size < MAX_NOTICES) reportAll(name, reading)
  }

  function reportAll(name: ResourceName, reading: ResourceReading): void {
    const unknownParts = reading.status === 'read' ? unknownPartsOf(SCHEMAS[name], reading.value) : []
    for (const { path, field, value } of unknownParts) {
      // `shortWord` drops names and values of several words, because they may quote a note.
      report({
        resource: path === '' ? name : `${name}.${path}`,
        field: shortWord(field) ?? '?',
        value: shortWord(value),
      })
    }
    for (const { path, expected, found } of reading.drift) {
      const fields = path.replaceAll(/\[\d+\]/g, '').split('.')
      const field = shortWord(fields.pop()) ?? '?'
      report({ resource: [name, ...fields].join('.'), field, value: undefined, expected, found })
    }
  }

  function report(drift: DriftNotice): void {
    const key = JSON.stringify(drift)
    if (reported.has(key) || reported.size >= MAX_NOTICES) return
    reported.add(key)
    callHook(onDrift, drift)
  }
}
