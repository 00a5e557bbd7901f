import type { SeededRandom } from './seeded-random.ts'

const PREFIXES = {
  owner: 'own',
  note: 'note',
  recording_session: 'rec',
  channel: 'chn',
  integration: 'int',
  event: 'evt',
  endpoint: 'whe',
  delivery: 'dlv',
  message: 'msg',
  request: 'req',
} as const

/** Creates the next identifier of a kind: `note_Wv3…`. */
export type MakeIdentifier = (kind: keyof typeof PREFIXES) => string

/** Makes identifiers from the seed. Each kind has its own stream, so that an additional request does not change the identifiers of notes. */
export function identifiersFrom(random: SeededRandom): MakeIdentifier {
  const streams = new Map<string, SeededRandom>()
  return (kind) => {
    const stream = streams.get(kind) ?? random.fork(kind)
    streams.set(kind, stream)
    return `${PREFIXES[kind]}_${stream.text(20)}`
  }
}
