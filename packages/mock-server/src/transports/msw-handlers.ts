import { ConnectionDropped } from '../api/request-faults.ts'

/**
 * What is needed of msw's `http`. Its shape alone: types of an optional package would break the declarations of whoever does
 * without it.
 */
export interface MswHttp<Handler> {
  /** Makes a handler of requests of any method. */
  all(path: string, resolver: (info: { readonly request: Request }) => Promise<Response>): Handler
}

/** Handlers for Mock Service Worker that answer what is sent to a base URL. */
export function mswHandlers<Handler>(
  http: MswHttp<Handler>,
  baseUrl: string,
  fetch: (request: Request) => Promise<Response>,
): Handler[] {
  const answer = ({ request }: { readonly request: Request }) =>
    fetch(request).catch((error: unknown) => {
      if (!(error instanceof ConnectionDropped)) throw error
      return Response.error()
    })
  return [http.all(`${baseUrl}/*`, answer)]
}
