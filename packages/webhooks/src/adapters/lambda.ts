import { refuseUnknownOptions } from '@notewire/protocol'
import type { BodyReading } from '../delivering/attempt.ts'
import type { Answer } from '../interfaces/answer.ts'
import type { RespondingReceivers } from '../receiver/receiver-interface.ts'
import { findIntegration, type IntegrationOf, requireReceiver, routeParameter } from './mounting.ts'
import { isAuthorizerEvent, notAnHttpEvent } from './not-an-http-event.ts'

/** The fields that `lambdaHandler` reads in an event of API Gateway (payload 1.0 and 2.0), a function URL or an Application Load Balancer. */
export interface LambdaHttpEvent {
  readonly httpMethod?: string | undefined
  readonly path?: string | undefined
  readonly rawPath?: string | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined
  readonly body?: string | null | undefined
  readonly isBase64Encoded?: boolean | undefined
  readonly pathParameters?: Readonly<Record<string, string | undefined>> | null | undefined
  readonly requestContext?:
    | { readonly path?: string; readonly http?: { readonly method: string }; readonly elb?: object }
    | undefined
}

/** A result that API Gateway, function URLs and load balancers accept. */
export interface LambdaHttpResult {
  statusCode: number
  headers?: Record<string, string>
  multiValueHeaders?: Record<string, string[]>
  body: string
  isBase64Encoded: boolean
}

/** The options of `lambdaHandler`, for the receivers of many integrations. */
export interface LambdaHandlerOptions {
  /**
   * Finds the id of the integration in an event. Required for function URLs and load balancers, because their events have no path
   * parameters. If it throws, the answer is 404.
   *
   * @default returns the path parameter `integration` of API Gateway
   */
  readonly integrationOf?: IntegrationOf<LambdaHttpEvent> | undefined
}

/**
 * Mounts a receiver in AWS Lambda, for API Gateway (REST and HTTP APIs), a function URL or an Application Load
 * Balancer. Give the function a timeout above its slowest handler: the default of Lambda, 3 s, is less than the 8 s that a
 * handler may take.
 *
 * Lambda freezes the process when the invocation returns. If a handler takes longer than the receiver's deadline, the invocation
 * therefore returns only after the handler has ended. By then the service may have stopped waiting and sends the event again; the receiver
 * recognises it as a duplicate.
 *
 * The receiver's `path` includes the stage or base path that the service requests.
 *
 * The handler rejects with an `OptionError` if it is invoked with an event that is no HTTP request, such as a batch of SQS: SQS would take
 * any result for success, and delete the batch.
 *
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { lambdaHandler } from '@notewire/webhooks/lambda'
 *
 * export const handler = lambdaHandler(createReceiver({ secret: () => process.env['NOTES_SIGNING_SECRET'], on: {} }))
 * ```
 */
export function lambdaHandler(
  receiver: RespondingReceivers,
  options: LambdaHandlerOptions = {},
): (event: LambdaHttpEvent) => Promise<LambdaHttpResult> {
  requireReceiver('lambdaHandler', receiver)
  refuseUnknownOptions('lambdaHandler', options, { integrationOf: true })
  const { integrationOf = ({ pathParameters }) => routeParameter(pathParameters) } = options
  return async (event) => {
    const method = methodOf(event)
    const { requestContext } = event
    let late: Promise<Answer> | undefined
    const answer = await receiver.respond({
      method,
      // A REST API removes the stage from `path`, and keeps the requested path in the context.
      path: requestContext?.path ?? event.rawPath ?? event.path ?? '',
      headers: event.multiValueHeaders ?? event.headers ?? {},
      integration: findIntegration(integrationOf, event),
      readBody: async (maxBytes) => readBody(event, maxBytes),
      waitUntil: (work) => {
        late = work
      },
    })
    return resultFor(event, (await late) ?? answer)
  }
}

/** @throws OptionError if the event is no HTTP request */
function methodOf(event: LambdaHttpEvent): string {
  const method = event?.requestContext?.http?.method ?? event?.httpMethod
  if (typeof method !== 'string' || method === '' || isAuthorizerEvent(event)) throw notAnHttpEvent(event)
  return method
}

function readBody(
  { body, isBase64Encoded, rawBody }: LambdaHttpEvent & { rawBody?: unknown },
  maxBytes: number,
): BodyReading {
  // A middleware such as Middy's parser replaces the text by an object, and may keep the text in `rawBody`.
  const text = typeof body === 'object' && body !== null ? rawBody : (body ?? '')
  if (typeof text !== 'string') return { status: 'already-parsed' }
  const bytes = Buffer.from(text, isBase64Encoded ? 'base64' : 'utf8')
  return bytes.length > maxBytes ? { status: 'too-large' } : { status: 'read', bytes }
}

// A load balancer with multi-value headers reads only `multiValueHeaders`. Other load balancers and HTTP APIs read only `headers`.
function resultFor({ multiValueHeaders }: LambdaHttpEvent, { status, headers, body }: Answer): LambdaHttpResult {
  const result = { statusCode: status, body, isBase64Encoded: false }
  if (!multiValueHeaders) return { ...result, headers: { ...headers } }
  return {
    ...result,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
  }
}
