/**
 * Reads a body as text, chunk by chunk, and stops at the first byte over `maxBytes`.
 *
 * @returns `undefined` for a body that is longer
 */
export async function readText({ body }: Response, maxBytes: number): Promise<string | undefined> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > maxBytes) {
      // The connection may be broken in the meantime, and nobody waits for it.
      reader.cancel().catch(() => undefined)
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}
