import type { BodyReading } from './attempt.ts'

/**
 * Reads a body chunk by chunk and stops at the first byte over `maxBytes`, so that memory stays flat whatever arrives.
 * The rest is left unread: the caller decides what becomes of the stream.
 */
export function readCapped(
  chunks: AsyncIterator<Uint8Array>,
  maxBytes: number,
  timeUp: Promise<void>,
): Promise<BodyReading> {
  let late = false
  const tooSlow = timeUp.then((): BodyReading => {
    late = true
    return { status: 'too-slow' }
  })
  return Promise.race([readToEnd(chunks, maxBytes, () => late), tooSlow])
}

async function readToEnd(
  chunks: AsyncIterator<Uint8Array>,
  maxBytes: number,
  late: () => boolean,
): Promise<BodyReading> {
  let bytes = new Uint8Array(Math.min(4096, maxBytes))
  let length = 0
  try {
    while (!late()) {
      const next = await chunks.next()
      if (next.done === true) return { status: 'read', bytes: bytes.subarray(0, length) }
      const end = length + next.value.length
      if (end > maxBytes) return { status: 'too-large' }
      if (end > bytes.length) bytes = grown(bytes, Math.min(Math.max(end, bytes.length * 2), maxBytes))
      bytes.set(next.value, length)
      length = end
    }
    return { status: 'too-slow' }
  } catch {
    return { status: 'incomplete' }
  }
}

function grown(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(size)
  larger.set(bytes)
  return larger
}
