// `npm run fix` runs this file and formats what it writes. The files are the same every time.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bodies } from './generator/bodies.ts'
import { headers } from './generator/headers.ts'
import { rotation } from './generator/rotation.ts'
import { secrets } from './generator/secrets.ts'
import { signatures } from './generator/signatures.ts'
import { tampering } from './generator/tampering.ts'
import { timestamps } from './generator/timestamps.ts'
import type { VectorFile } from './generator/vector.ts'

/** The vectors, by the name of their file. */
export const vectorFiles: Readonly<Record<string, VectorFile>> = {
  'bodies.json': bodies,
  'headers.json': headers,
  'rotation.json': rotation,
  'secrets.json': secrets,
  'signatures.json': signatures,
  'tampering.json': tampering,
  'timestamps.json': timestamps,
}

if (import.meta.main) {
  for (const [name, content] of Object.entries(vectorFiles)) {
    writeFileSync(join(import.meta.dirname, name), `${JSON.stringify(content, null, 2)}\n`)
  }
}
