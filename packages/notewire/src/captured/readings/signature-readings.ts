import { SIGNATURE_VERSION } from '@notewire/protocol'
import type { Reading } from './difference.ts'
import { headerDifference, headerReading, urlDecoded } from './header-reading.ts'

/** More entries than this are no signature header, and whoever sends them is not worth the time. */
const MOST_ENTRIES = 64

const SIGNATURE_BASE64 = /^[A-Za-z0-9+/]{43}=$/

/** The signatures that a header may hold, as canonical base64; those that the contract sees in it first (contract §5, rule 4). */
export function signatureReadings(header: Reading<string>): readonly Reading<string>[] {
  const found = headerForms(header.value).flatMap(({ value, differences }) =>
    entriesOf(value).map((entry) => ({
      value: entry.value,
      differences: [...header.differences, ...differences, ...entry.differences],
    })),
  )
  return found.filter(({ value }) => SIGNATURE_BASE64.test(value))
}

function headerForms(value: string): readonly Reading<string>[] {
  return [
    { value, differences: [] },
    headerReading(
      urlDecoded(value),
      'signature_url_encoded',
      'the header webhook-signature was URL-encoded',
      AS_IT_CAME,
    ),
    headerReading(
      value.replace(/^(["'])(.*)\1$/, '$2'),
      'header_quotes',
      'the header webhook-signature was put in quotes',
      AS_IT_CAME,
    ),
    headerReading(
      value.replace(/,\s*(?=v\d+[a-z]?[,=])/g, ' '),
      'signature_list_commas',
      'the entries of webhook-signature were joined by commas',
      'Entries are separated by spaces (contract §5): make whatever joins or splits the header by commas leave it alone.',
    ),
    headerReading(
      value.replace(/ (?!v\d+[a-z]?,)/g, '+'),
      'signature_plus_as_space',
      'a plus sign of the signature became a space',
      'Do not URL-decode headers: in base64, "+" is a character of its own.',
    ),
  ].filter((form, index) => index === 0 || form.value !== value)
}

const AS_IT_CAME = 'Hand the header on as it came.'

function entriesOf(header: string): readonly Reading<string>[] {
  return header.split(/\s+/).slice(0, MOST_ENTRIES).flatMap(entryReadings)
}

function entryReadings(entry: string): readonly Reading<string>[] {
  const {
    version = '',
    sign = '',
    text = '',
  } = /^(?:(?<version>[A-Za-z]\w{0,11})(?<sign>[,=:]))?(?<text>\S+)$/.exec(entry)?.groups ?? {}
  const isVersion1 = version === SIGNATURE_VERSION && sign === ','
  const unversioned = headerDifference(
    'signature_version',
    version === '' ? 'the signature has no version before it' : 'the signature is not written as "v1,"',
    'Each entry is "v1," and the signature in base64 (contract §5): correct the sender, or whatever rewrites the header.',
  )
  return textReadings(text).map(({ value, differences }) => ({
    value,
    differences: isVersion1 ? differences : [unversioned, ...differences],
  }))
}

function textReadings(text: string): readonly Reading<string>[] {
  const url = text.replaceAll('-', '+').replaceAll('_', '/')
  const padded = url.padEnd(44, '=')
  return [
    { value: text, differences: [] },
    ...(text === url
      ? []
      : [headerReading(padded, 'signature_base64url', 'the signature was written in base64url', BASE64_FIX)]),
    ...(text.length === 43 && text === url
      ? [headerReading(padded, 'signature_padding', 'the signature has lost its padding', BASE64_FIX)]
      : []),
    ...(/^[\da-f]{64}$/i.test(text)
      ? [
          headerReading(
            Buffer.from(text, 'hex').toString('base64'),
            'signature_hex',
            'the signature was written in hexadecimal',
            BASE64_FIX,
          ),
        ]
      : []),
  ]
}

const BASE64_FIX = 'The signature is standard base64 with its padding (contract §5): correct the sender.'
