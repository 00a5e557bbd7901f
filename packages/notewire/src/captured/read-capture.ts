import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { systemReason } from '../errors/system-error.ts'
import { type CapturedRequest, unreadable } from './captured-request.ts'
import { readHar } from './har.ts'
import { readRawRequest } from './raw-request.ts'

const LARGEST_CAPTURE_BYTES = 64 * 1024 * 1024

/** Reads the requests of a capture: a raw request, or an HTTP archive. */
export function readCapture(bytes: Uint8Array): readonly CapturedRequest[] {
  if (bytes.length > LARGEST_CAPTURE_BYTES) {
    throw unreadable('is larger than 64 MiB. Export only the requests to the receiver.')
  }
  const first = Buffer.from(bytes.subarray(0, 4096))
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
  if (first === '') throw unreadable('is empty. Pass a raw HTTP request or an HTTP archive (HAR).')
  return /^[{[]/.test(first) ? readHar(bytes) : [readRawRequest(bytes)]
}

/**
 * Chooses the requests to verify: the one with this number, or every POST with headers of a delivery. The only request of a
 * capture is always chosen.
 *
 * @param entry  the number of a request in an archive, from 1
 * @throws CommandError when there is none
 */
export function chooseDeliveries(
  requests: readonly CapturedRequest[],
  entry: number | undefined,
): readonly CapturedRequest[] {
  const count = requests.length
  if (entry !== undefined) {
    const chosen = requests[entry - 1]
    if (chosen !== undefined) return [chosen]
    throw unreadable(`contains ${count} requests. Pass --entry with a number from 1 to ${count}.`)
  }
  const deliveries = count === 1 ? requests : requests.filter(looksLikeDelivery)
  if (deliveries.length > 0) return deliveries
  throw unreadable(
    `contains ${count} requests, but none is a POST with the headers of a delivery. Choose one with --entry.`,
  )
}

function looksLikeDelivery({ method, headers }: CapturedRequest): boolean {
  const isPost = method === undefined || method.toUpperCase() === 'POST'
  return isPost && Object.keys(headers).some((name) => /(?:webhook|svix)[-_](?:id|timestamp|signature)$/.test(name))
}

export async function readCaptureFile(workingFolder: string, path: string): Promise<Uint8Array> {
  return await readFile(resolve(workingFolder, path)).catch((error: unknown) => {
    throw unreadable(
      `cannot be read from ${path}: ${systemReason(error)}. Pass the file that contains the captured delivery.`,
    )
  })
}

/** Reads all of a stream. @throws the signal's reason, as soon as it is aborted */
export async function readCaptureStream(stream: Readable, signal: AbortSignal): Promise<Uint8Array> {
  return await buffer(addAbortSignal(signal, stream)).catch((error: unknown) => {
    signal.throwIfAborted()
    throw error
  })
}
