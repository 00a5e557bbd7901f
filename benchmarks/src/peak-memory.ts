import { existsSync, readFileSync } from 'node:fs'

/**
 * The peak resident memory of this process, in MB. Read from `/proc` on Linux, because `maxRSS` includes the memory that the
 * parent had at the fork.
 */
export function peakMemoryMb(): number {
  const peak = existsSync(STATUS) ? /^VmHWM:\s+(?<kilobytes>\d+) kB$/m.exec(readFileSync(STATUS, 'utf8')) : null
  return Number(peak?.groups?.['kilobytes'] ?? process.resourceUsage().maxRSS) / 1024
}

const STATUS = '/proc/self/status'
