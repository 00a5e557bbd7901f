import { SIGNATURE_HEADERS } from '@notewire/protocol'
import { type CapturedHeader, type CapturedRequest, valuesOf } from './captured-request.ts'
import type { Finding } from './finding.ts'

/** The headers of a signed request that are not there (contract §5, receiver rule 3). */
export function missingHeaders(headers: readonly CapturedHeader[]): readonly Finding[] {
  return Object.values(SIGNATURE_HEADERS)
    .filter((name) => valuesOf(headers, name).every((value) => value === ''))
    .map((name) => ({
      code: 'header_missing',
      subject: 'header',
      what: `the header ${name} is missing`,
      fix: 'Capture the request with all of its headers. If the receiver does not get them either, a proxy before it drops them: let it pass on webhook-id, webhook-timestamp and webhook-signature.',
    }))
}

/** What is worth a look when no known transformation explains a signature. */
export function hintsFor(request: CapturedRequest, secrets: number): readonly Finding[] {
  const { method, headers, body } = request
  return [
    ...bodyHints(body, headers),
    ...signatureHints(headers),
    ...(method === undefined || method.toUpperCase() === 'POST' ? [] : [NOT_POST]),
    ...(missingHeaders(headers).length > 0 ? [] : [unexplained(secrets)]),
  ]
}

function bodyHints(body: Uint8Array, headers: readonly CapturedHeader[]): readonly Finding[] {
  if (body.length === 0) return [EMPTY]
  const declared = Number(valuesOf(headers, 'content-length')[0])
  const hints: Finding[] = []
  if (declared > body.length) hints.push(cutOff(declared, body.length))
  const text = new TextDecoder().decode(body)
  if (text.includes('\ufffd')) hints.push(REPLACED)
  if (!isJson(text)) hints.push(NOT_JSON)
  return hints
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function signatureHints(headers: readonly CapturedHeader[]): readonly Finding[] {
  const values = valuesOf(headers, SIGNATURE_HEADERS.signature).filter((value) => value !== '')
  const isWhole = values.some((value) => /(?:^|\s)v1,[A-Za-z0-9+/]{43}=(?:\s|$)/.test(value))
  return values.length === 0 || isWhole ? [] : [UNREADABLE]
}

const EMPTY: Finding = {
  code: 'body_empty',
  subject: 'capture',
  what: 'the captured request has no body',
  fix: 'Capture it with its body: in a log, something may have read the body before.',
}

const REPLACED: Finding = {
  code: 'body_replacement_characters',
  subject: 'body',
  what: 'the body holds U+FFFD, which stands for bytes that somebody could not read',
  fix: 'Whoever captured the body read it in the wrong alphabet, and what was there is lost. Capture the bytes, or read them as UTF-8.',
}

const NOT_JSON: Finding = {
  code: 'body_not_json',
  subject: 'body',
  what: 'the body is not JSON, as every notification is (contract §6)',
  fix: 'Look whether the capture is whole, and of the right request.',
}

const UNREADABLE: Finding = {
  code: 'signature_unreadable',
  subject: 'header',
  what: 'the header webhook-signature holds no whole "v1" signature',
  fix: 'An entry is "v1," and 44 characters of base64 (contract §5): copy the header again, or look for what cuts it off.',
}

const NOT_POST: Finding = {
  code: 'method_not_post',
  subject: 'capture',
  what: 'the request is no POST, as every notification is (contract §4)',
  fix: 'Look whether it is the right request.',
}

function cutOff(declared: number, there: number): Finding {
  return {
    code: 'body_cut_off',
    subject: 'capture',
    what: `the body is cut off: content-length says ${declared} bytes, and ${there} are there`,
    fix: 'Capture it again, whole.',
  }
}

function unexplained(secrets: number): Finding {
  const given = secrets === 1 ? 'the secret given is' : `none of the ${secrets} secrets given is`
  return {
    code: 'other_secret_or_altered',
    subject: 'signed content',
    what: 'no known transformation explains the signature: either it was made with another secret, or the body, the identifier or the timestamp was altered. A signature does not tell which, nor where',
    fix: `If ${given} the secret of this endpoint, something changed the content: compare the body with the delivery as the console of the service shows it. Else give the right one: every endpoint has its own, and a rotation makes a new one; name others with --other-secret-file.`,
  }
}
