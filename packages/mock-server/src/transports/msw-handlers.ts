import * as z from 'zod/mini'
import { ConnectionDropped } from '../api/request-faults.ts'
import { checked, fields } from '../errors/checked.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import { requestAt } from './incoming-request.ts'

/** The part of msw's `http` that this package uses. Types of msw would break the declarations for users who do not install it. */
export interface MswHttp<Handler> {
  /** Creates a handler for requests of any method. */
  all(path: string, resolver: (info: { readonly request: Request }) => Promise<Response>): Handler
}

/** Options of `service.handlers`. */
export interface HandlersOptions {
  /** The URL that the code under test calls, without `/v1`. @default the `baseUrl` of the service */
  readonly baseUrl?: string | undefined
}

const EXPECTED = 'an absolute http or https URL without a query, such as "https://api.example.com"'
const baseUrl = z
  .string(EXPECTED)
  .check(z.refine((text) => /^https?:\/\/[^?#]+$/.test(text) && URL.canParse(text), EXPECTED))
const optionsSchema = fields({ baseUrl: z.optional(baseUrl) })

/** The services that answer in Mock Service Worker, by base URL. */
const answering = new Map<string, object>()

interface MswParts {
  /** Identifies the service. */
  readonly service: object
  readonly baseUrl: () => string
  readonly fetch: (request: Request) => Promise<Response>
}

/** Handlers for Mock Service Worker that answer the requests to a base URL. */
export function mswHandlers<Handler>(
  parts: MswParts,
  http: MswHttp<Handler>,
  options: HandlersOptions = {},
): Handler[] {
  if (typeof http?.all !== 'function') {
    const remedy = "Pass it: import { http } from 'msw'."
    throw new MockServerError('option_invalid', "service.handlers needs msw's http", remedy, 'http')
  }
  const given = checked('service.handlers', optionsSchema, options).baseUrl ?? parts.baseUrl()
  const { origin, pathname } = new URL(given)
  const path = pathname.replace(/(?<!\/)\/+$/, '')
  const url = origin + path
  if ((answering.get(url) ?? parts.service) !== parts.service) throw baseUrlTaken(url)
  answering.set(url, parts.service)
  return [
    http.all(`${url}/*`, async ({ request }) => {
      const sent = await requestAt(request.url.replace(url, origin), request)
      return await parts.fetch(sent).catch((error: unknown) => {
        if (!(error instanceof ConnectionDropped)) throw error
        return Response.error()
      })
    }),
  ]
}

/** Lets other services answer at the base URLs of a closed service. */
export function forgetHandlers(service: object): void {
  for (const [url, known] of answering) if (known === service) answering.delete(url)
}

function baseUrlTaken(url: string): MockServerError {
  const problem = `another service, which is not closed, already answers at ${url}`
  const remedy =
    'Close that service, or pass another baseUrl. Without baseUrl, services with other seeds have other URLs.'
  return new MockServerError('base_url_taken', problem, remedy, 'baseUrl')
}
