import { anAttempt, BODY, NOW, refused, signatureOf, type VectorFile, WEBHOOK_ID, withHeaders } from './vector.ts'

const OTHER_ATTEMPT = { webhookId: 'msg_0000000000', timestamp: String(NOW - 1), body: '{"event_id":"evt_0"}' }

export const tampering: VectorFile = {
  description: 'Attempts that the service signed, and somebody changed on the way.',
  cases: [
    ...Object.entries(changedBodies()).map(([name, body]) =>
      refused(`the body: ${name}`, 'no-matching-signature', { ...anAttempt(), body }),
    ),
    ...Object.entries({
      'one character changed': WEBHOOK_ID.replace('2', '3'),
      'one character less': WEBHOOK_ID.slice(0, -1),
      'another case': WEBHOOK_ID.toUpperCase(),
      'another id': 'msg_0000000000',
    }).map(([name, webhookId]) =>
      refused(`the id: ${name}`, 'no-matching-signature', withHeaders(anAttempt(), { 'webhook-id': webhookId })),
    ),
    ...[-1, 1, 300].map((offset) =>
      refused(
        `the timestamp: moved by ${offset} s`,
        'no-matching-signature',
        withHeaders(anAttempt(), { 'webhook-timestamp': String(NOW + offset) }),
      ),
    ),
    refused(
      'the timestamp: an old attempt that is sent again as new',
      'no-matching-signature',
      withHeaders(anAttempt({ timestamp: String(NOW - 86_400) }), { 'webhook-timestamp': String(NOW) }),
    ),
    ...Object.entries({
      'that of another attempt': signatureOf(OTHER_ATTEMPT),
      'all zeros': Buffer.alloc(32).toString('base64'),
      'all ones': Buffer.alloc(32, 0xff).toString('base64'),
      'the first and the last byte exchanged': exchanged(signatureOf()),
    }).map(([name, signature]) =>
      refused(
        `the signature: ${name}`,
        'no-matching-signature',
        withHeaders(anAttempt(), { 'webhook-signature': `v1,${signature}` }),
      ),
    ),
  ],
}

function changedBodies(): Readonly<Record<string, string | Buffer>> {
  return {
    'one character changed': BODY.replace('note_81', 'note_82'),
    'one bit flipped': Buffer.from(BODY).fill(BODY.charCodeAt(0) ^ 1, 0, 1),
    'the last byte cut off': BODY.slice(0, -1),
    'a byte more': `${BODY} `,
    'a line break at the end': `${BODY}\n`,
    'a zero byte at the end': Buffer.from(`${BODY}\0`),
    emptied: '',
    'parsed and serialised with other spaces': JSON.stringify(JSON.parse(BODY), null, 2),
    twice: BODY + BODY,
  }
}

function exchanged(signature: string): string {
  const bytes = Buffer.from(signature, 'base64')
  const first = bytes.readUInt8(0)
  bytes.writeUInt8(bytes.readUInt8(31), 0)
  bytes.writeUInt8(first, 31)
  return bytes.toString('base64')
}
