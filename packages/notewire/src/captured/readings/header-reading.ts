import type { Difference, DifferenceCode, Reading } from './difference.ts'

/** A value that a header may have had, with the one thing that was done to it. */
export function headerReading(value: string, code: DifferenceCode, what: string, fix: string): Reading<string> {
  return { value, differences: [headerDifference(code, what, fix)] }
}

/** Something that was done to a header. */
export function headerDifference(code: DifferenceCode, what: string, fix: string): Difference {
  return { code, subject: 'header', what, fix }
}

/** A value without its percent signs; as it is, where it has none that can be read. */
export function urlDecoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
