import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A path for a database of SQLite that is removed after the test, which passes its `onTestFinished`. */
export function temporaryPath(onTestFinished: (cleanUp: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'notewire-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'test.db')
}
