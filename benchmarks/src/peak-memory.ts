import { existsSync, readFileSync } from 'node:fs'

/**
 * The most memory that this process ever had resident, in MB. Where Linux tells it itself: the `maxRSS` of a process counts what its
 * parent had when it was forked.
 */
export function peakMemoryMb(): number {
  const told = existsSync(STATUS) ? /^VmHWM:\s+(?<kilobytes>\d+) kB$/m.exec(readFileSync(STATUS, 'utf8')) : null
  return Number(told?.groups?.['kilobytes'] ?? process.resourceUsage().maxRSS) / 1024
}

const STATUS = '/proc/self/status'
