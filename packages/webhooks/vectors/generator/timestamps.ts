import { anAttempt, NOW, refused, stricter, type VectorFile, verified, withHeaders } from './vector.ts'

/** Some parser or other takes each for the time of arrival. */
const JUNK: Readonly<Record<string, string>> = {
  'digits, then letters': `${NOW}junk`,
  'a fraction': `${NOW}.0`,
  'scientific notation': '1.767258e9',
  hexadecimal: `0x${NOW.toString(16)}`,
  'a plus sign': `+${NOW}`,
  'underscores between digits': '1_767_258_000',
  'a space between digits': '1767 258000',
  'a digit that is none of ASCII': `${String(NOW).slice(0, -1)}²`,
  'two timestamps, as a proxy joins repeated headers': `${NOW}, ${NOW}`,
}

/** Nobody takes these for it, and some comparisons let them pass. */
const NO_NUMBER: Readonly<Record<string, string>> = {
  'a minus sign': `-${NOW}`,
  'a date': '2026-01-01T09:00:00Z',
  'not a number': 'NaN',
}

export const timestamps: VectorFile = {
  description:
    'Timestamps: the edges of the tolerance of 300 s, and what is no timestamp although it was signed as one.',
  cases: [
    ...[-300, -299, -1, 0, 1, 299, 300].map((offset) =>
      verified(`signed ${distance(offset)}`, anAttempt({ timestamp: String(NOW + offset) })),
    ),
    refused('signed 301 s ago', 'timestamp-too-old', anAttempt({ timestamp: String(NOW - 301) })),
    refused('signed 301 s ahead', 'timestamp-too-new', anAttempt({ timestamp: String(NOW + 301) })),
    refused('signed at the beginning of 1970', 'timestamp-too-old', anAttempt({ timestamp: '0' })),
    refused('in milliseconds', 'timestamp-too-new', anAttempt({ timestamp: `${NOW}000` })),
    refused('32 bits too large', 'timestamp-too-new', anAttempt({ timestamp: String(NOW + 2 ** 32) })),
    refused('64 bits too large', 'timestamp-too-new', anAttempt({ timestamp: String(BigInt(NOW) + 2n ** 64n) })),
    refused('400 digits', 'timestamp-too-new', anAttempt({ timestamp: '9'.repeat(400) })),
    ...Object.entries(JUNK).map(([name, timestamp]) =>
      stricter(
        'the contract does not say how to parse the number',
        refused(name, 'malformed-header', anAttempt({ timestamp })),
      ),
    ),
    ...Object.entries(NO_NUMBER).map(([name, timestamp]) =>
      refused(name, 'malformed-header', anAttempt({ timestamp })),
    ),
    ...Object.entries(JUNK).map(([name, timestamp]) =>
      refused(
        `${name}, signed as what it is taken for`,
        'malformed-header',
        withHeaders(anAttempt(), { 'webhook-timestamp': timestamp }),
      ),
    ),
    verified('leading zeros, signed with them', anAttempt({ timestamp: `00${NOW}` })),
    refused(
      'leading zeros, signed without them',
      'no-matching-signature',
      withHeaders(anAttempt(), { 'webhook-timestamp': `00${NOW}` }),
    ),
  ],
}

function distance(offset: number): string {
  if (offset === 0) return 'now'
  return offset < 0 ? `${-offset} s ago` : `${offset} s ahead`
}
