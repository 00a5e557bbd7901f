import { OptionError } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { parseBaseUrl } from './base-url.ts'

describe('baseUrl', () => {
  it.each([
    ['https://notes.example', 'https://notes.example'],
    ['https://notes.example/', 'https://notes.example'],
    ['https://notes.example/v1', 'https://notes.example'],
    ['https://notes.example/v1/', 'https://notes.example'],
    ['https://notes.example/api/notes', 'https://notes.example/api/notes'],
    ['https://notes.example/api//v1//', 'https://notes.example/api'],
    ['https://notes.example/api-v1', 'https://notes.example/api-v1'],
    ['https://NOTES.example:8443/v1', 'https://notes.example:8443'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1:3000/v1', 'http://127.0.0.1:3000'],
    ['http://127.1.2.3', 'http://127.1.2.3'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
  ])('%s is read as %s', (given, read) => {
    expect(parseBaseUrl(given)).toBe(read)
  })

  it.each([
    ['no URL', 'notes.example', 'is not an absolute URL'],
    ['after a byte order mark', '\ufeffhttps://notes.example', 'begins with an invisible character'],
    ['nothing', undefined, 'is not an absolute URL'],
    ['empty', '', 'is not an absolute URL'],
    ['a path', '/v1', 'is not an absolute URL'],
    ['http to another machine', 'http://notes.example', 'starts with http://'],
    ['http to a name that starts like a loopback address', 'http://127.0.0.1.evil.example', 'starts with http://'],
    ['http to a name under localhost', 'http://localhost.evil.example', 'starts with http://'],
    ['another scheme', 'ftp://notes.example', 'starts with ftp://'],
    ['a user name', 'https://me@notes.example', 'contains a user name or a password'],
    ['a password', 'https://:s3cret@notes.example', 'contains a user name or a password'],
    ['a query', 'https://notes.example?key=s3cret', 'contains a query'],
    ['a fragment', 'https://notes.example#s3cret', 'contains a query or a fragment, which a base URL cannot have'],
  ])('is refused when it is %s', (_, given, problem) => {
    const refusal = refusalOf(given)
    expect(refusal).toMatchObject({ code: 'option_invalid', option: 'baseUrl' })
    expect(refusal.message).toContain(problem)
    expect(refusal.message).not.toContain('s3cret')
  })
})

function refusalOf(baseUrl: unknown): OptionError {
  try {
    parseBaseUrl(baseUrl)
  } catch (error) {
    if (error instanceof OptionError) return error
  }
  throw new Error('it should have been refused')
}
