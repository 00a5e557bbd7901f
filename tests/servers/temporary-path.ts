import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A path for an SQLite database, which `onTestFinished` of the test removes. */
export function temporaryPath(onTestFinished: (cleanUp: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'notewire-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'test.db')
}
