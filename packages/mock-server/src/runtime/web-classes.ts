import { MockServerError } from '../errors/mock-server-error.ts'

/** Read once, so that a test may replace them after that, such as `URL` to count calls of `createObjectURL`. */
export const { TextDecoder, URL } = globalThis

/** What a port makes its answers with. A check fails or throws if an environment has removed the class, or put one in its place that cannot do this. */
const CHECKS: Readonly<Record<string, () => boolean>> = {
  Headers: () => new Headers({ 'x-check': 'a' }).get('x-check') === 'a',
  ReadableStream: () => typeof new ReadableStream().getReader === 'function',
  Response: () => {
    const { status, headers, body } = new Response('a', { status: 201, headers: { 'x-check': 'a' } })
    return status === 201 && headers.get('x-check') === 'a' && typeof body?.getReader === 'function'
  },
  TextDecoder: () => new TextDecoder().decode(new Uint8Array([97])) === 'a',
  TextEncoder: () => new TextEncoder().encode('a')[0] === 97,
  URL: () => new URL('http://localhost/a').pathname === '/a',
  URLSearchParams: () => new URLSearchParams('a=b').get('a') === 'b',
}

/** @throws MockServerError `listen_failed` if the environment lacks a class that a port needs, or has replaced it by one that cannot serve */
export function requireWebClasses(): void {
  const missing = missingWebClass()
  if (missing !== undefined) throw missing
}

/** The error for a class that a port needs, if the environment lacks it at this moment. */
export function missingWebClass(): MockServerError | undefined {
  const name = Object.keys(CHECKS).find((each) => !passes(CHECKS[each]))
  if (name === undefined) return undefined
  const remedy =
    `A test, or its environment, has removed or replaced it. Run this test in the environment of Node.js: write "// @vitest-environment node" ` +
    'or "@jest-environment node" at the top of its file, or start the service in the global setup, or as a program.'
  const problem = `the service cannot answer with the global ${name} of this environment`
  return new MockServerError('listen_failed', problem, remedy)
}

function passes(check: (() => boolean) | undefined): boolean {
  try {
    return check?.() === true
  } catch {
    return false
  }
}
