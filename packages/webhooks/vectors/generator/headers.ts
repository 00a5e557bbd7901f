import { anAttempt, refused, type VectorFile, verified, withHeaders } from './vector.ts'

const NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

export const headers: VectorFile = {
  description: 'Missing headers, empty headers, header names in capitals, and additional headers.',
  cases: [
    ...NAMES.flatMap((name) => [
      refused(`without ${name}`, 'missing-header', withHeaders(anAttempt(), { [name]: undefined })),
      refused(`${name} is empty`, 'missing-header', withHeaders(anAttempt(), { [name]: '' })),
    ]),
    refused('without any of the three headers', 'missing-header', { ...anAttempt(), headers: {} }),
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
      'names with initial capitals',
      renamed((name) => name.replaceAll(/\b\w/g, capital)),
    ),
    verified(
      'additional headers',
      withHeaders(anAttempt(), { 'content-type': 'application/json', 'x-request-id': '1' }),
    ),
    verified('an ID with dots, which are also the separators of the signed text', anAttempt({ webhookId: 'msg.1.2' })),
    verified('an ID of 200 characters', anAttempt({ webhookId: 'm'.repeat(200) })),
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
