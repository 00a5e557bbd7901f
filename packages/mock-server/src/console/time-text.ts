const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** A stretch of time in its two largest units: `12 h`, `5 min 10 s`, `240 ms`. */
export function stretch(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const largest = UNITS.findIndex(([, unitMs]) => ms >= unitMs)
  let rest = ms
  const parts = UNITS.slice(largest, largest + 2).flatMap(([unit, unitMs]) => {
    const count = Math.floor(rest / unitMs)
    rest -= count * unitMs
    return count === 0 ? [] : [`${count} ${unit}`]
  })
  return parts.join(' ')
}
