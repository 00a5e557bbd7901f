import type { ErrorAnswer } from '../interfaces/answer.ts'
import type { SecretFinding } from '../secrets/secret-source.ts'

/** Error answers that only `answeredError` logs. Anyone can cause them, so an integration logs each code at most once a minute. */
export const EARLY_ERRORS: readonly ErrorAnswer['code'][] = [
  'not_found',
  'integration_unknown',
  'lookups_limited',
  'body_too_slow',
  'body_too_large',
  'body_encoded',
  'body_incomplete',
]

/** The level and the text of a line, and what threw its error, if it has one. */
type LogLine = readonly [level: 'warn' | 'error', message: string, thrower?: string]

/** Every line of the log: some by the status of an outcome that needs attention. */
export const LOG_LINES = {
  failed: ['error', 'a handler failed; the event will be retried', 'the handler'],
  'store-failed': ['error', 'the store failed; the event will be retried', 'the store'],
  'sink-failed': ['error', 'the sink failed; the event will be retried', 'the sink'],
  busy: [
    'warn',
    'the event, or another event of its note, is still being processed; the event will be retried',
    'the database',
  ],
  'claim-lost': ['warn', 'the receiver lost its claim on an event; the event will be retried'],
  'handler-timeout': [
    'error',
    'a handler took longer than handlerTimeoutMs and may still be running; the receiver released its claim, and the ' +
      'event will be retried',
  ],
  'late-end': ['warn', 'a handler ended after the receiver had released its claim', 'the handler'],
  'handler-overdue': [
    'warn',
    'a handler has not ended 8 s after the delivery arrived; the receiver answers 503 and the handler keeps running; use a ' +
      'queue for slow handlers',
  ],
  'sink-overdue': [
    'warn',
    'a sink has not resolved 8 s after the delivery arrived; the receiver answers 503 and the sink keeps running',
  ],
  'queue-failed': ['error', 'the queue did not accept an event; the service will send it again', 'the queue'],
  'queue-late': ['error', 'the queue did not confirm an event in time; the service will send it again'],
  refused: ['warn', 'a delivery was refused'],
  'refused-early': ['warn', 'the receiver refused a request before checking its signature'],
  'malformed-event': ['error', 'a signed delivery is malformed'],
  drift: ['warn', 'a signed event differs from the contract; the receiver processes it without the field'],
  'already-parsed': [
    'error',
    'the request body was parsed before the receiver could verify it. Mount the receiver before any body ' +
      'parser, or configure the parser to keep the raw bytes in req.rawBody. In a function of Vercel, export receiver.fetch as POST, or add ' +
      '"export const config = { api: { bodyParser: false } }", or set NODEJS_HELPERS=0. In Fastify, ' +
      'return from a preParsing hook the stream to which it pipes the body. In AWS Lambda, remove the body parser of Middy ' +
      '(httpJsonBodyParser) from this function.',
  ],
  'answered-by-other': [
    'error',
    'other code has sent a response before the receiver, so that the service does not get its answer, and does not send an event again ' +
      'that failed or was not processed. Find the middleware that calls res.send, res.end or res.json for this route, such as a time limit, ' +
      'and mount the receiver before it. In Fastify, find the hook that calls reply.send, and do not call it for this route.',
  ],
  'memory-lost': [
    'warn',
    'each delivery got a new receiver with an empty store in memory, so that every duplicate is processed again; create the receiver ' +
      'once, outside of the function that handles a request, or use a store in a database',
  ],
  'hook-failed': ['error', 'a hook threw; the event is not affected', 'the hook'],
  'error-messages': [
    'warn',
    'logErrorMessages is on: the messages of errors in this log may contain note content; use it only in development',
  ],
  broken: ['error', 'the receiver failed with an unexpected error; please report it', 'the receiver'],
} as const satisfies Readonly<Record<string, LogLine>>

/** The text for each lookup that found no usable secret. @param option  `secret` or `secretOf` */
export function withoutSecretLine(status: SecretFinding['status'], option: string): string | undefined {
  switch (status) {
    case 'missing':
      return (
        `no signing secret is known, so the receiver answers 503. The option "${option}" must be or return the secret from the ` +
        'response that created the endpoint. The service retries the delivery after 30 s.'
      )
    case 'invalid':
    case 'failed':
      return `the option "${option}" returned no usable secret; the receiver answers 503`
    case 'late':
      return `the option "${option}" did not resolve in time; the receiver answers 503`
    default:
      return undefined
  }
}
