import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Whether tests can start a program that npm does not bring. In CI they must: there, what is missing fails when it is
 * started, and nothing is left out.
 */
export function isInstalled(program: 'redis-server' | 'pgbouncer' | 'chromium'): boolean {
  if (process.env['CI'] !== undefined) return true
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  return folders.some((folder) => existsSync(join(folder, program)))
}
