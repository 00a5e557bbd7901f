/** A number with its noun: `1 note`, `2 notes`. */
export function amount(number: number, one: string, several = `${one}s`): string {
  return `${grouped(number)} ${number === 1 ? one : several}`
}

/** A number with separated thousands: `12,345`. */
export function grouped(number: number): string {
  return number.toLocaleString('en-US')
}

/** A number of seconds; from an hour on, also in a larger unit: `12 s`, `3 days (259200 s)`. */
export function spellSeconds(seconds: number): string {
  return seconds < 3_600 ? `${seconds} s` : `${spell(seconds * 1_000)} (${seconds} s)`
}

/** A length of time in a suitable unit: `0.4 s`, `12 s`, `3 min`, `5 h`, `2 days`. */
export function spell(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 36 * 3_600) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} days`
}
