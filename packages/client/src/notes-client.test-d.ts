import type {
  Note,
  NotePage,
  Summary,
  Transcript,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from '@notewire/protocol'
import { describe, expectTypeOf, it } from 'vitest'
import type {
  CallAttempt,
  ChangesPage,
  ClientErrorCode,
  DriftNotice,
  NoteListQuery,
  NotesClientError,
  NotesClientHooks,
  NotesClientOptions,
  NoteWithContent,
  ResponseNotice,
  WebhookEndpointCreation,
  WebhookEndpointUpdate,
} from './index.ts'
import { NotesClient } from './index.ts'

const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret' })
const { notes, webhookEndpoints } = client

describe('a client', () => {
  it('takes baseUrl and apiKey, or reads them from the environment', () => {
    new NotesClient()
    new NotesClient({ baseUrl: 'https://notes.example' })
    new NotesClient({ apiKey: process.env['ANOTHER_KEY'] })
  })

  it('takes no unknown option', () => {
    // @ts-expect-error
    new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret', retries: 3 })
  })

  it('takes the global fetch, and a function of a request', () => {
    expectTypeOf(globalThis.fetch).toExtend<NonNullable<NotesClientOptions['fetch']>>()
    expectTypeOf<(request: Request) => Promise<Response>>().toExtend<NonNullable<NotesClientOptions['fetch']>>()
  })

  it('takes undefined options', () => {
    expectTypeOf({
      baseUrl: '',
      apiKey: '',
      fetch: undefined,
      timeoutMs: undefined,
    }).toExtend<NotesClientOptions>()
  })

  it('cannot be changed', () => {
    // @ts-expect-error
    client.notes = notes
    // @ts-expect-error
    client.keyId = 'k8'
  })
})

describe('the calls', () => {
  it('return notes, pages, transcripts and summaries', () => {
    expectTypeOf(notes.list()).toExtend<AsyncIterable<Note>>()
    expectTypeOf(notes.list().pages()).toExtend<AsyncIterable<NotePage>>()
    expectTypeOf(notes.get('n1')).resolves.toEqualTypeOf<Note>()
    expectTypeOf(notes.find('n1')).resolves.toEqualTypeOf<Note | undefined>()
    expectTypeOf(notes.transcript('n1')).resolves.toEqualTypeOf<Transcript>()
    expectTypeOf(notes.summary('n1')).resolves.toEqualTypeOf<Summary>()
    expectTypeOf(notes.readsFromList).toBeBoolean()
  })

  it('return endpoints, with their secret only at creation and rotation', () => {
    expectTypeOf(webhookEndpoints.list()).resolves.toEqualTypeOf<readonly WebhookEndpoint[]>()
    expectTypeOf(webhookEndpoints.get('e1')).resolves.toEqualTypeOf<WebhookEndpoint>()
    expectTypeOf(webhookEndpoints.update('e1', {})).resolves.toEqualTypeOf<WebhookEndpoint>()
    expectTypeOf(webhookEndpoints.waitUntilActive('e1')).resolves.toEqualTypeOf<WebhookEndpoint>()
    expectTypeOf(webhookEndpoints.create({ url: '', events: [] })).resolves.toEqualTypeOf<WebhookEndpointWithSecret>()
    expectTypeOf(webhookEndpoints.rotateSecret('e1')).resolves.toEqualTypeOf<WebhookEndpointWithSecret>()
    expectTypeOf(webhookEndpoints.delete('e1')).resolves.toBeVoid()
    expectTypeOf(webhookEndpoints.sendTest('e1')).resolves.toBeVoid()
  })

  it('take queries and bodies in the names of the wire', () => {
    expectTypeOf({
      limit: 100,
      cursor: 'c',
      updated_after: new Date(),
      include_deleted: true,
    }).toExtend<NoteListQuery>()
    // The cursor of the last page is null. It would start the listing again.
    expectTypeOf<{ cursor: null }>().not.toExtend<NoteListQuery>()
    // @ts-expect-error
    notes.list({ updatedAfter: new Date() })
    expectTypeOf({ url: '', events: ['note.ended', 'note.invented'] }).toExtend<WebhookEndpointCreation>()
    expectTypeOf<{ status: 'active' }>().toExtend<WebhookEndpointUpdate>()
    expectTypeOf<{ status: 'disabled' }>().not.toExtend<WebhookEndpointUpdate>()
  })
})

describe('changes', () => {
  it('come in pages with a checkpoint, and start after a checkpoint', () => {
    expectTypeOf(notes.changes()).toExtend<AsyncIterable<ChangesPage>>()
    expectTypeOf<ChangesPage['checkpoint']>().toBeString()
    expectTypeOf<ChangesPage['notes']>().toEqualTypeOf<readonly Note[]>()
    notes.changes({ after: null }, { limit: 100, signal: new AbortController().signal, totalTimeoutMs: 1000 })
    // @ts-expect-error
    notes.changes({ after: new Date() })
    // @ts-expect-error
    notes.changes({ updated_after: new Date() })
  })
})

describe('notes with their content', () => {
  it('narrow by the status of the content', () => {
    expectTypeOf(notes.listWithContent({ limit: 10 }, { concurrency: 2 })).toExtend<AsyncIterable<NoteWithContent>>()
    const { transcript, summary } = {} as NoteWithContent
    // @ts-expect-error
    transcript.transcript
    if (transcript.status === 'ready') expectTypeOf(transcript.transcript).toEqualTypeOf<Transcript>()
    if (summary.status === 'ready') expectTypeOf(summary.summary.markdown).toBeString()
    expectTypeOf(transcript.status).toEqualTypeOf<
      'ready' | 'not_ready' | 'content_not_found' | 'empty' | 'failed' | 'gone'
    >()
    expectTypeOf(summary.status).toEqualTypeOf<
      'ready' | 'not_ready' | 'content_not_found' | 'missing' | 'failed' | 'gone'
    >()
  })
})

describe('hooks', () => {
  it('are functions of a notice, and may be asynchronous', () => {
    expectTypeOf({ onRetry: async () => {}, onRequest: undefined }).toExtend<NotesClientHooks>()
    expectTypeOf<NonNullable<NotesClientHooks['onDrift']>>().parameter(0).toEqualTypeOf<DriftNotice>()
    expectTypeOf<{ onReply: () => void }>().not.toExtend<NotesClientHooks>()
  })

  it('receive a status or a failure', () => {
    expectTypeOf<ResponseNotice['status']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<ResponseNotice['failure']>().toEqualTypeOf<'timeout' | 'network_error' | 'aborted' | undefined>()
  })
})

describe('an error', () => {
  it('has its attempts', () => {
    expectTypeOf<NotesClientError['attempts']>().toEqualTypeOf<readonly CallAttempt[]>()
  })

  it('has a code of a closed list', () => {
    expectTypeOf<NotesClientError['code']>().toEqualTypeOf<ClientErrorCode>()
    expectTypeOf<'anything'>().not.toExtend<ClientErrorCode>()
  })
})
