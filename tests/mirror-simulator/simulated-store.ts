import type { MirrorStore } from '@notewire/mirror'
import type { NoteWrite } from '../../packages/mirror/src/notes/note-write.ts'
import type { LoadedNotes, MirrorCommit } from '../../packages/mirror/src/stores/mirror-store.ts'
import type { HistoryContext } from './history-context.ts'
import type { SimulatedProcess } from './simulated-process.ts'

/** Makes the store of one process, over the shared store. The checker checks the notes of each commit. */
export function simulatedStore(process: SimulatedProcess, context: HistoryContext): MirrorStore {
  const { store, checker, world, chronicle } = context
  const { loadsInSteps } = context.scenario
  const nameOf = (noteId: string) => world.find(noteId)?.name ?? noteId
  const namesOf = (noteIds: readonly string[]) => noteIds.map(nameOf).join(', ') || 'none'

  function call<Result>(
    name: string | (() => string),
    work: () => Promise<Result>,
    describe: (result: Result) => string = () => 'done',
  ): Promise<Result> {
    return process.callStore(() => (typeof name === 'string' ? name : name()), work, describe)
  }

  function load(integration: string, noteIds: readonly string[]): Promise<LoadedNotes> {
    return call(
      () => `loads the progress and ${namesOf(noteIds)}`,
      () => store.load(integration, noteIds),
      ({ sequence }) => `at ${sequence}`,
    )
  }

  /** Advances the sequence and reads the rows a moment later, as a store on a server may do. */
  async function loadInSteps(integration: string, noteIds: readonly string[]): Promise<LoadedNotes> {
    const { sequence } = await load(integration, [])
    return { ...(await load(integration, noteIds)), sequence }
  }

  function describeCommit({ notes, progress, heardAt }: MirrorCommit): string {
    const fullListing = progress?.fullListing
    return [
      ...notes.map(describeNote),
      ...(progress === undefined
        ? []
        : [
            `progress${fullListing == null ? '' : ` of a full listing (${fullListing.phase}, since ${fullListing.startSequence})`}`,
          ]),
      ...(heardAt === undefined ? [] : ['the time of an event']),
    ].join('; ')
  }

  function describeNote({ state, content, announce }: NoteWrite): string {
    const { noteId, presence, revision, evidence, readAfterSequence, hiddenSequence } = state
    const facts = [
      `${nameOf(noteId)} ${presence}`,
      ...(revision === null ? [] : [`at revision ${revision}`]),
      ...(evidence === null ? [] : [`(${evidence.says} ${evidence.start} to ${evidence.end})`]),
      ...(readAfterSequence === null ? [] : [`must be read after ${readAfterSequence}`]),
      ...(hiddenSequence === null ? [] : [`hidden since ${hiddenSequence}`]),
      ...(content === undefined ? [] : [content === 'erase' ? 'erased' : `with ${Object.keys(content).join(' and ')}`]),
      ...(announce === undefined ? [] : [`and announces that it ${announce}`]),
    ]
    return facts.join(' ')
  }

  return {
    clock: process.clock,
    integrations: {
      list: (request) => call('reads the integration', () => store.integrations.list(request)),
      write: (...rows) => call('writes the integration', () => store.integrations.write(...rows), String),
      take: (request) =>
        call(
          'takes the integration',
          () => store.integrations.take(request),
          (taken) => (taken === undefined ? 'in vain' : `with token ${taken.record.token}`),
        ),
      findHinted: (request) => call('looks for hints without a lease', () => store.integrations.findHinted(request)),
      count: (now) => call('counts integrations', () => store.integrations.count(now)),
    },
    migrate: () => call('migrates', () => store.migrate()),
    load: loadsInSteps ? loadInSteps : load,
    readProgress: (integration) =>
      call(
        'reads progress',
        () => store.readProgress(integration),
        ({ sequence }) => `at ${sequence}`,
      ),
    commit: (integration, commit) =>
      call(
        () => `commits ${describeCommit(commit)}`,
        async () => {
          const outcome = await store.commit(integration, commit)
          chronicle.count(`commit: ${outcome}`)
          if (outcome === 'committed') await checker.onCommit(commit)
          return outcome
        },
        String,
      ),
    readDue: (integration, request) =>
      call(
        `reads ${request.limit} due notes`,
        async () => {
          const due = await store.readDue(integration, request)
          chronicle.count(due.notes.length === 0 ? 'due: none' : 'due: some')
          return due
        },
        ({ notes, sequence }) => `${namesOf(notes.map(({ state }) => state.noteId))}, at ${sequence}`,
      ),
    count: (...values) => call('counts notes', () => store.count(...values)),
    readFeed: (...values) => call('reads the feed', () => store.readFeed(...values)),
    listStates: (integration, query) =>
      call(
        () => `lists states: ${JSON.stringify(query)}`,
        () => store.listStates(integration, query),
        (states) => states.map(({ state, position }) => `${nameOf(state.noteId)} at ${position}`).join(', ') || 'none',
      ),
    listNotes: (integration, query) =>
      call(
        () => ('noteId' in query ? `gets ${nameOf(query.noteId)}` : `lists notes: ${JSON.stringify(query)}`),
        () => store.listNotes(integration, query),
      ),
    takesTransactions: false,
    listConsumers: (...values) => call('reads consumers', () => store.listConsumers(...values)),
    commitConsumer: (...values) => call('commits a consumer', async () => await store.commitConsumer(...values)),
    listConsumable: (...values) => call('lists notes to consume', () => store.listConsumable(...values)),
  }
}
