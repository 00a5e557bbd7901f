import type { LoadedNotes, MirrorCommit, MirrorStore, NoteWrite } from '@notewire/mirror'
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
    const scan = progress?.next.scan
    return [
      ...notes.map(describeNote),
      ...(progress === undefined
        ? []
        : [`progress${scan == null ? '' : ` of a scan (${scan.phase}, since ${scan.startedAt})`}`]),
      ...(heardAt === undefined ? [] : ['the time of an event']),
    ].join('; ')
  }

  function describeNote({ state, content, announce }: NoteWrite): string {
    const { noteId, presence, revision, evidence, dirty, hiddenBy } = state
    const facts = [
      `${nameOf(noteId)} ${presence}`,
      ...(revision === null ? [] : [`at revision ${revision}`]),
      ...(evidence === null ? [] : [`(${evidence.says} ${evidence.start} to ${evidence.end})`]),
      ...(dirty === null ? [] : [`dirty since ${dirty}`]),
      ...(hiddenBy === null ? [] : [`hidden since ${hiddenBy}`]),
      ...(content === undefined ? [] : [content === 'erase' ? 'erased' : `with ${Object.keys(content).join(' and ')}`]),
      ...(announce === undefined ? [] : [`and announces that it ${announce}`]),
    ]
    return facts.join(' ')
  }

  return {
    integrations: store.integrations,
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
    takeDue: (integration, request) =>
      call(
        `takes ${request.limit} due notes`,
        async () => {
          const due = await store.takeDue(integration, request)
          chronicle.count(due.notes.length === 0 ? 'due: none' : 'due: some')
          return due
        },
        ({ notes, sequence }) => `${namesOf(notes.map(({ state }) => state.noteId))}, at ${sequence}`,
      ),
    listCandidates: (...values) => call('lists missing notes', () => store.listCandidates(...values), namesOf),
    countCandidates: (...values) => call('counts missing notes', () => store.countCandidates(...values), String),
    listHeld: (...values) => call('lists held removals', () => store.listHeld(...values), namesOf),
    listOverdue: (...values) => call('lists overdue notes', () => store.listOverdue(...values), namesOf),
    listHolds: (...values) => call('lists scans that hold removals back', () => store.listHolds(...values)),
    count: (...values) => call('counts notes', () => store.count(...values)),
    latestPosition: (...values) => call('reads the latest position', () => store.latestPosition(...values), String),
    listChanges: (integration, after, limit) =>
      call(
        `lists changes after ${after}`,
        () => store.listChanges(integration, after, limit),
        (changes) =>
          changes.map(({ state, position }) => `${nameOf(state.noteId)} at ${position}`).join(', ') || 'none',
      ),
    getNote: (...values) =>
      call(
        () => `gets ${nameOf(values[1])}`,
        () => store.getNote(...values),
      ),
    listNotes: (...values) => call('lists notes', () => store.listNotes(...values)),
    search: (...values) => call('searches', () => store.search(...values)),
    readConsumer: (...values) => call('reads a consumer', () => store.readConsumer(...values)),
    commitConsumer: (...values) => call('commits a consumer', () => store.commitConsumer(...values)),
    renewConsumer: (...values) => call('renews a consumer', () => store.renewConsumer(...values)),
    listConsumable: (...values) => call('lists notes to consume', () => store.listConsumable(...values)),
    describeConsumer: (...values) => call('describes a consumer', () => store.describeConsumer(...values)),
    retryParked: (...values) => call('retries parked notes', () => store.retryParked(...values)),
  }
}
