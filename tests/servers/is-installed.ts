import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The programs that tests need and npm does not install. */
export const PROGRAMS = ['redis-server', 'pgbouncer', 'mariadbd', 'chromium'] as const

type Program = (typeof PROGRAMS)[number]

/**
 * Whether a program that npm does not install exists. Always true in CI, so that tests of a missing program fail there
 * instead of being skipped.
 */
export function isInstalled(program: Program): boolean {
  if (process.env['CI'] !== undefined) return true
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  return folders.some((folder) => existsSync(join(folder, program)))
}

/** The options of tests that need a program: they are skipped if it is not installed. */
export function needs(program: Program) {
  return { skip: !isInstalled(program), meta: { skippedBecause: `${program} is not installed` } }
}
