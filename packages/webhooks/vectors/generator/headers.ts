import { anAttempt, refused, type VectorFile, verified, withHeaders } from './vector.ts'

const NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

export const headers: VectorFile = {
  description: 'Headers that are missing, empty, in capitals, or beside others.',
  cases: [
    ...NAMES.flatMap((name) => [
      refused(`without ${name}`, 'missing-header', withHeaders(anAttempt(), { [name]: undefined })),
      refused(`${name} is empty`, 'missing-header', withHeaders(anAttempt(), { [name]: '' })),
    ]),
    refused('without any', 'missing-header', { ...anAttempt(), headers: {} }),
    refused(
      'the headers of another library',
      'missing-header',
      renamed((name) => name.replace('webhook', 'svix')),
    ),
    verified(
      'names in capitals',
      renamed((name) => name.toUpperCase()),
    ),
    verified(
      'names as Node.js and HTTP/1.1 like them',
      renamed((name) => name.replaceAll(/\b\w/g, capital)),
    ),
    verified(
      'beside other headers',
      withHeaders(anAttempt(), { 'content-type': 'application/json', 'x-request-id': '1' }),
    ),
    verified('an id with dots, which also separate what is signed', anAttempt({ webhookId: 'msg.1.2' })),
    verified('an id of 200 characters', anAttempt({ webhookId: 'm'.repeat(200) })),
  ],
}

function renamed(rename: (name: string) => string): ReturnType<typeof anAttempt> {
  const attempt = anAttempt()
  const entries = Object.entries(attempt.headers).map(([name, value]) => [rename(name), value])
  return { ...attempt, headers: Object.fromEntries(entries) }
}

function capital(letter: string): string {
  return letter.toUpperCase()
}
