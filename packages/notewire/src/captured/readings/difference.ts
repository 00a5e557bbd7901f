/** What a difference between the capture and what was signed is about. */
export type DifferenceSubject = 'body' | 'secret' | 'header' | 'signed content'

/** The differences that the examination knows: stable names, for programs. */
export type DifferenceCode =
  | 'body_reserialised'
  | 'body_keys_reordered'
  | 'body_newline_added'
  | 'body_newline_lost'
  | 'body_whitespace_around'
  | 'body_line_endings'
  | 'body_bom_added'
  | 'body_bom_lost'
  | 'body_mojibake'
  | 'body_latin1'
  | 'body_url_encoded'
  | 'body_url_decoded'
  | 'body_compressed'
  | 'body_base64'
  | 'body_json_in_string'
  | 'body_longer_than_declared'
  | 'secret_whitespace'
  | 'secret_quotes'
  | 'secret_name_before'
  | 'secret_prefix_lost'
  | 'secret_as_text'
  | 'secret_as_text_with_newline'
  | 'secret_without_prefix_as_text'
  | 'secret_prefix_decoded'
  | 'secret_alphabet'
  | 'secret_cut_to_padding'
  | 'secret_hex'
  | 'secret_empty'
  | 'header_names'
  | 'header_quotes'
  | 'header_joined'
  | 'header_url_encoded'
  | 'timestamp_milliseconds'
  | 'timestamp_seconds'
  | 'timestamp_other_form'
  | 'signature_list_commas'
  | 'signature_plus_as_space'
  | 'signature_url_encoded'
  | 'signature_base64url'
  | 'signature_padding'
  | 'signature_hex'
  | 'signature_version'
  | 'content_order'

/** One difference between what was captured and what was signed. */
export interface Difference {
  readonly code: DifferenceCode
  readonly subject: DifferenceSubject
  /** What happened, as a clause: "the body was …". Never a secret, a signature or the body. */
  readonly what: string
  /** What to do about it, as a sentence. */
  readonly fix: string
}

/** One way to read a part of the capture, and how it differs from the contract's way: not at all, for the first. */
export interface Reading<Part> {
  readonly value: Part
  readonly differences: readonly Difference[]
}

/** Keeps, of readings that come to the same, the one with the fewest differences. */
export function distinct<Part>(
  readings: readonly Reading<Part>[],
  identityOf: (value: Part) => string,
): readonly Reading<Part>[] {
  const kept = new Map<string, Reading<Part>>()
  for (const reading of [...readings].sort((one, other) => one.differences.length - other.differences.length)) {
    const identity = identityOf(reading.value)
    if (!kept.has(identity)) kept.set(identity, reading)
  }
  return [...kept.values()]
}
