import { CaptureError } from './capture-error.ts'
import type { CapturedRequest, CaptureFormat } from './captured-request.ts'
import { type ReadFile, readCurl } from './curl/read-curl.ts'
import { textOfBytes } from './escaped-text.ts'
import { readHar } from './har/read-har.ts'
import { readRawRequest } from './raw/read-raw-request.ts'

/** More than any capture of notifications has. */
export const LARGEST_CAPTURE_BYTES = 64 * 1024 * 1024

/** How a capture is to be read. */
export interface CaptureReading {
  /** @default what it looks like */
  readonly format?: CaptureFormat | undefined
  /** Reads a file that a curl command names with `@`. */
  readonly readFile: ReadFile
}

/**
 * Reads the requests of a capture: one of a curl command or a raw request, all of an HTTP archive.
 *
 * @throws CaptureError when it cannot be read
 */
export function readCapture(bytes: Uint8Array, { format, readFile }: CaptureReading): readonly CapturedRequest[] {
  if (bytes.length > LARGEST_CAPTURE_BYTES) {
    throw new CaptureError('is larger than 64 MiB. Export the requests to the receiver alone.')
  }
  if (!bytes.some((byte) => byte > 0x20))
    throw new CaptureError('is empty. Give a curl command, a HAR or a raw request.')
  switch (format ?? formatOf(bytes)) {
    case 'curl':
      return [readCurl(textOfBytes(bytes), readFile)]
    case 'har':
      return readHar(textOfBytes(bytes))
    case 'raw':
      return [readRawRequest(bytes)]
  }
}

const CURL = /^\ufeff?\s*(?:[$#%>]\s+)?(?:[A-Za-z_]\w*=\S*\s+)*(?:[^\s'"]*[\\/])?curl(?:\.exe)?\s/

function formatOf(bytes: Uint8Array): CaptureFormat {
  const beginning = textOfBytes(bytes.subarray(0, 4096))
  if (CURL.test(beginning)) return 'curl'
  return /^\ufeff?\s*[{[]/.test(beginning) ? 'har' : 'raw'
}
