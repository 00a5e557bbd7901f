/** The forms in which a captured request can be given. */
export const CAPTURE_FORMATS = ['curl', 'har', 'raw'] as const

/** One form of a captured request: a curl command, an HTTP archive, or the text of the request itself. */
export type CaptureFormat = (typeof CAPTURE_FORMATS)[number]

/** A request as it was captured, with the bytes of its body unchanged. */
export interface CapturedRequest {
  readonly format: CaptureFormat
  /** Which request of an archive it is, from 1; 1 for the other forms. */
  readonly entry: number
  /** `undefined` where the capture does not say. */
  readonly method: string | undefined
  /** In the order of the capture, duplicates included. */
  readonly headers: readonly CapturedHeader[]
  readonly body: Uint8Array
  /** When it was captured, in milliseconds since the Unix epoch, where the capture says so. */
  readonly capturedAt?: number | undefined
  /** What whoever reads the verdict should know about how the capture was read. Never a value of it. */
  readonly notices: readonly string[]
}

/** A header as it was captured: its name in any case, and its value. */
export interface CapturedHeader {
  readonly name: string
  readonly value: string
}

/** The values of a header, in the order of the capture. */
export function valuesOf(headers: readonly CapturedHeader[], name: string): readonly string[] {
  return headers.filter((header) => header.name.toLowerCase() === name).map(({ value }) => value)
}
