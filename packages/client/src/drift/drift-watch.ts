import type { DriftNotice, NotesClientHooks } from '../hooks.ts'
import { serverToken } from '../transport/server-token.ts'
import { tellHook } from '../transport/tell-hook.ts'
import { ANYTHING, type KnownResource } from './known-resources.ts'

// What has been told must be remembered, and a service may invent new values for ever.
const MOST_NOTICES = 1000

/** Tells the hook `onDrift` of the fields and values that this version does not know, once each. */
export class DriftWatch {
  readonly #onDrift: NotesClientHooks['onDrift']
  readonly #told = new Set<string>()

  constructor(onDrift: NotesClientHooks['onDrift']) {
    this.#onDrift = onDrift
  }

  /** @returns the resource, as it came */
  watch<Resource extends object>(known: KnownResource, resource: Resource): Resource {
    if (this.#onDrift !== undefined) this.#look(known, resource)
    return resource
  }

  #look({ name, fields }: KnownResource, resource: object): void {
    for (const [field, value] of Object.entries(resource)) {
      const known = fields.get(field)
      if (known === undefined) this.#tell(name, field, undefined)
      else if (known !== ANYTHING) for (const item of [value].flat()) this.#compare(known, item, name, field)
    }
  }

  #compare(known: KnownResource | readonly string[], value: unknown, resource: string, field: string): void {
    if (typeof value === 'string') {
      if ('includes' in known && !known.includes(value)) this.#tell(resource, field, value)
    } else if (typeof value === 'object' && value !== null && 'fields' in known) {
      this.#look(known, value)
    }
  }

  #tell(resource: string, field: string, value: string | undefined): void {
    // A name or a value of more than one word may quote a note.
    const drift: DriftNotice = { resource, field: serverToken(field) ?? '?', value: serverToken(value) }
    const key = JSON.stringify(drift)
    if (this.#told.has(key) || this.#told.size >= MOST_NOTICES) return
    this.#told.add(key)
    tellHook(this.#onDrift, drift)
  }
}
