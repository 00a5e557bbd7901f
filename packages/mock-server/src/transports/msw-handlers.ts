import type { HttpHandler } from 'msw'
import { TransportError } from './transport-error.ts'

/**
 * Handlers for Mock Service Worker that answer what is sent to a base URL.
 *
 * @throws {@link TransportError} `peer_missing` when msw is not installed
 */
export async function mswHandlers(
  baseUrl: string,
  fetch: (request: Request) => Promise<Response>,
  loadMsw: () => Promise<Pick<typeof import('msw'), 'http'>> = () => import('msw'),
): Promise<HttpHandler[]> {
  const { http } = await loadMsw().catch((error: unknown) => {
    throw isMissing(error) ? mswMissing() : error
  })
  return [http.all(`${baseUrl}/*`, ({ request }) => fetch(request))]
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
}

function mswMissing(): TransportError {
  return new TransportError(
    'peer_missing',
    'handlers() needs the package msw, which is not installed. Run "npm install --save-dev msw", or use listen() instead.',
  )
}
