import type { IncomingMessage } from 'node:http'
import type { Attempt } from './attempt.ts'
import type { ReceiverAnswer } from './receiver-answer.ts'

type Post = (request: Pick<Attempt, 'url' | 'headers' | 'body'>, ended: Promise<unknown>) => Promise<ReceiverAnswer>

/**
 * Sends a `POST` without the global `fetch`, because test environments replace that: the one of happy-dom asks the receiver first whether a
 * page may send the request, and sends nothing.
 *
 * @returns `undefined` in a browser
 */
export function postOverHttp(): Post | undefined {
  // Not an import, which would break browsers.
  const load = globalThis.process?.getBuiltinModule
  const [http, https] = [load?.('node:http'), load?.('node:https')]
  if (http === undefined || https === undefined) return undefined
  return ({ url, headers, body }, ended) =>
    new Promise((resolve, reject) => {
      const { request } = url.toLowerCase().startsWith('https:') ? https : http
      const sent = request(url, { method: 'POST', headers })
      sent.on('response', (message) => resolve(answerOf(message))).on('error', reject)
      ended.catch(() => sent.destroy())
      sent.end(body)
    })
}

function answerOf(message: IncomingMessage): ReceiverAnswer {
  const chunks = message[Symbol.asyncIterator]()
  const headers = Object.entries(message.headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')])
  return {
    status: message.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    read: async () => (await chunks.next()).value,
    cancel: () => void message.destroy(),
  }
}
