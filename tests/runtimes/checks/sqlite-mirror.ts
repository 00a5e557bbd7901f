import { type SqliteMirror, sqliteMirror } from '@notewire/mirror/sqlite'
import { mirrorStoreChecks } from '../../../packages/mirror/fixtures/store-checks/mirror-store-checks.ts'

/** Holds a mirror's store in a file against all that such stores must do. */
export async function sqliteMirrorInAFile({ path }: { readonly path: string }) {
  const store = sqliteMirror(path)
  const seen = await runMirrorStoreChecks(store)
  await store.close?.()
  return seen
}

/** Runs what makes a mirror's store one, and tells which checks have failed. */
export async function runMirrorStoreChecks(store: SqliteMirror) {
  await store.migrate()
  const failed: string[] = []
  for (const { name, run } of mirrorStoreChecks) {
    await run(store).catch((error) => failed.push(`${name}: ${error.message}`))
  }
  return { passed: mirrorStoreChecks.length - failed.length, failed }
}
