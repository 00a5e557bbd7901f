import { ConnectionDropped } from '../api/request-faults.ts'
import { MockServerError } from '../errors/mock-server-error.ts'

/** The part of msw's `http` that this package uses. Types of msw would break the declarations for users who do not install it. */
export interface MswHttp<Handler> {
  /** Creates a handler for requests of any method. */
  all(path: string, resolver: (info: { readonly request: Request }) => Promise<Response>): Handler
}

/** Handlers for Mock Service Worker that answer the requests to a base URL. */
export function mswHandlers<Handler>(
  http: MswHttp<Handler>,
  baseUrl: string,
  fetch: (request: Request) => Promise<Response>,
): Handler[] {
  if (typeof http?.all !== 'function') {
    const remedy = "Pass it: import { http } from 'msw'."
    throw new MockServerError('option_invalid', "service.handlers needs msw's http", remedy, 'http')
  }
  const answer = ({ request }: { readonly request: Request }) =>
    fetch(request).catch((error: unknown) => {
      if (!(error instanceof ConnectionDropped)) throw error
      return Response.error()
    })
  return [http.all(`${baseUrl}/*`, answer)]
}
