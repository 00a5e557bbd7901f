const LF = 0x0a
const LONGEST_SIZE_LINE = 64

/** Joins a body that was captured in chunks (RFC 9112 §7.1); `undefined` for one that was not. */
export function dechunked(bytes: Uint8Array): Uint8Array | undefined {
  const chunks: Uint8Array[] = []
  let chunk = chunkAt(bytes, 0)
  while (chunk !== undefined && chunk.content.length > 0) {
    chunks.push(chunk.content)
    chunk = chunkAt(bytes, chunk.next)
  }
  return chunk === undefined ? undefined : new Uint8Array(Buffer.concat(chunks))
}

interface Chunk {
  /** Empty for the last one. */
  readonly content: Uint8Array
  /** Where the next one begins. */
  readonly next: number
}

function chunkAt(bytes: Uint8Array, at: number): Chunk | undefined {
  const lineEnd = bytes.indexOf(LF, at)
  if (lineEnd < 0 || lineEnd - at > LONGEST_SIZE_LINE) return undefined
  const line = Buffer.from(bytes.subarray(at, lineEnd)).toString('latin1')
  const { size } = /^(?<size>[\da-f]{1,8})[ \t]*(?:;[^\r]*)?\r?$/i.exec(line)?.groups ?? {}
  if (size === undefined) return undefined
  const end = lineEnd + 1 + Number.parseInt(size, 16)
  const content = bytes.subarray(lineEnd + 1, end)
  if (content.length === 0) return end === lineEnd + 1 ? { content, next: end } : undefined
  const breakAt = bytes.indexOf(LF, end)
  return breakAt < 0 || breakAt - end > 1 ? undefined : { content, next: breakAt + 1 }
}
