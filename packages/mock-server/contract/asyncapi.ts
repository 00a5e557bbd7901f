import {
  RECEIVER_DEADLINE_MS,
  RETRY_DELAYS_MS,
  SIGNATURE_HEADERS,
  SIGNATURE_TOLERANCE_SECONDS,
} from '@notewire/protocol'
import { CONTRACT_VERSION, EVENTS, ref } from './schemas.ts'

/** The webhooks (contract §4 to §6, §8), as an AsyncAPI 3 document: the events, and the answers that the service expects. */
export function asyncApiDocument(): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Notes service: webhooks',
      version: CONTRACT_VERSION,
      description: [
        'Signed `POST` requests to the URL of a registered endpoint. They carry identifiers and statuses, never content.',
        `A 2xx answer within ${RECEIVER_DEADLINE_MS / 1000} s is a success. After any other outcome the service retries, after ${pauses()}.`,
        'An event can arrive more than once and out of order: ignore a known `event_id`, and a `revision` that is not higher than the last applied one.',
      ].join('\n\n'),
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    defaultContentType: 'application/json',
    servers: {
      receiver: {
        host: 'receiver.example',
        protocol: 'https',
        description: 'The host of the URL that was registered. Redirects are not followed.',
      },
    },
    channels: {
      endpoint: {
        address: '/webhooks/notes',
        description: 'The path of the URL that was registered.',
        servers: [{ $ref: '#/servers/receiver' }],
        messages: Object.fromEntries(EVENTS.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }])),
      },
    },
    operations: {
      deliver: {
        action: 'send',
        channel: { $ref: '#/channels/endpoint' },
        summary: 'The service delivers an event.',
        security: [{ $ref: '#/components/securitySchemes/signature' }],
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
        messages: EVENTS.map(({ name }) => ({ $ref: `#/channels/endpoint/messages/${name}` })),
      },
    },
    components: {
      securitySchemes: {
        signature: {
          type: 'httpApiKey',
          in: 'header',
          name: SIGNATURE_HEADERS.signature,
          description: 'Standard Webhooks, scheme `v1`, with the signing secret of the endpoint.',
        },
      },
      messages: Object.fromEntries(
        EVENTS.map(({ kind, name, description }) => [
          name,
          { name: kind, title: kind, summary: description, headers: ref('SignatureHeaders'), payload: ref(name) },
        ]),
      ),
      schemas: {
        SignatureHeaders: SIGNATURE_HEADERS_SCHEMA,
        ...Object.fromEntries(EVENTS.map(({ name, schema }) => [name, schema])),
      },
    },
  }
}

const SIGNATURE_HEADERS_SCHEMA = {
  description: 'The Standard Webhooks signature of the raw body.',
  type: 'object',
  required: Object.values(SIGNATURE_HEADERS),
  properties: {
    [SIGNATURE_HEADERS.id]: { type: 'string', minLength: 1, description: 'Identifies the message.' },
    [SIGNATURE_HEADERS.timestamp]: {
      type: 'string',
      pattern: '^[0-9]+$',
      description: `Unix time in seconds. Reject a timestamp more than ${SIGNATURE_TOLERANCE_SECONDS} s from now.`,
    },
    [SIGNATURE_HEADERS.signature]: {
      type: 'string',
      pattern: '^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$',
      description:
        'Entries `v1,` and base64(HMAC-SHA256(key, "{webhook-id}.{webhook-timestamp}.{raw body}")), separated by spaces. One must match.',
    },
  },
}

function pauses(): string {
  const inWords = RETRY_DELAYS_MS.map((ms) => {
    if (ms < 60_000) return `${ms / 1000} s`
    return ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`
  })
  return `${inWords.slice(0, -1).join(', ')} and ${inWords.at(-1)}`
}
