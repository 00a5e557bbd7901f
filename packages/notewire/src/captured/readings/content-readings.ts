import type { Reading } from './difference.ts'

/** What goes before the body into the signed content, if the identifier and the timestamp are known. */
export type Composition = (id: string | undefined, timestamp: string | undefined) => string | undefined

/** How the signed content may have been put together: the contract's way first. */
export const CONTENT_READINGS: readonly Reading<Composition>[] = [
  { value: (id, time) => joined('.', id, time), differences: [] },
  otherwise('timestamp, identifier and body', (id, time) => joined('.', time, id)),
  otherwise('timestamp and body, without the identifier', (_, time) => joined('.', time)),
  otherwise('identifier and body, without the timestamp', (id) => joined('.', id)),
  otherwise('the body alone', () => ''),
  otherwise('identifier, timestamp and body without dots', (id, time) => joined('', id, time)),
  otherwise('identifier, timestamp and body, joined by colons', (id, time) => joined(':', id, time)),
]

function joined(mark: string, ...parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.map((part) => `${part}${mark}`).join('')
}

function otherwise(what: string, value: Composition): Reading<Composition> {
  return {
    value,
    differences: [
      {
        code: 'content_order',
        subject: 'signed content',
        what: `what was signed is ${what}`,
        fix: 'The contract signs "{webhook-id}.{webhook-timestamp}.{body}" (§5): correct the sender.',
      },
    ],
  }
}
