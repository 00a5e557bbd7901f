/** Reads a stream to its end, or to the first byte over `maxBytes`. */
export async function readStream(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  while (length <= maxBytes) {
    const { done, value } = await reader.read()
    if (done) return joined(chunks, length)
    chunks.push(value)
    length += value.length
  }
  reader.cancel().catch(() => undefined)
  return joined(chunks, length)
}

/** The chunks as one array of `length` bytes. */
export function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  let end = 0
  for (const chunk of chunks) {
    bytes.set(chunk, end)
    end += chunk.length
  }
  return bytes
}
