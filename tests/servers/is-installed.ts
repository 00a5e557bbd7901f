import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Whether a program that npm does not install exists. Always true in CI, so that tests of a missing program fail there
 * instead of being skipped.
 */
export function isInstalled(program: 'redis-server' | 'pgbouncer' | 'mariadbd' | 'chromium'): boolean {
  if (process.env['CI'] !== undefined) return true
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  return folders.some((folder) => existsSync(join(folder, program)))
}
