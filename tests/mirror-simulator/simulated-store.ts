import type { DueNotes, DueRequest, LoadedNotes, MirrorCommit, MirrorStore, NoteWrite } from '@notewire/mirror'
import type { Life } from './life.ts'
import type { Stage } from './stage.ts'

/** The shared store, as one process has it. What takes effect is shown to the judge. */
export function distantStore(life: Life, stage: Stage): MirrorStore {
  const { store, judge, world, chronicle } = stage
  const { areLoadsInSteps } = stage.circumstances
  const nameOf = (noteId: string) => world.find(noteId)?.name ?? noteId

  const ask = <Answer>(words: string, work: () => Promise<Answer>) => life.ask(() => words, work, done)

  return {
    integrations: store.integrations,
    readConsumer: (...asked) => ask('reads a consumer', () => store.readConsumer(...asked)),
    commitConsumer: (...asked) => ask('commits a consumer', () => store.commitConsumer(...asked)),
    renewConsumer: (...asked) => ask('renews a consumer', () => store.renewConsumer(...asked)),
    listConsumable: (...asked) => ask('lists what to consume', () => store.listConsumable(...asked)),
    describeConsumer: (...asked) => ask('describes a consumer', () => store.describeConsumer(...asked)),
    retryParked: (...asked) => ask('retries what is parked', () => store.retryParked(...asked)),
    migrate: () =>
      life.ask(
        () => 'migrates',
        () => store.migrate(),
        done,
      ),
    load: areLoadsInSteps ? loadInSteps : load,
    readProgress: (integration) =>
      life.ask(
        () => 'reads progress',
        () => store.readProgress(integration),
        ({ sequence }) => `at ${sequence}`,
      ),
    commit: (integration, commit) =>
      life.ask(
        () => `commits ${wordsOf(commit)}`,
        async () => {
          const outcome = await store.commit(integration, commit)
          chronicle.count(`commit: ${outcome}`)
          if (outcome === 'committed') await judge.look(commit)
          return outcome
        },
        String,
      ),
    takeDue: (integration, request) =>
      life.ask(
        () => `takes ${request.limit} due notes`,
        () => takeDue(integration, request),
        ({ notes, sequence }) =>
          `${notes.map(({ state }) => nameOf(state.noteId)).join(', ') || 'none'}, at ${sequence}`,
      ),
    listCandidates: (integration, certificate, after, limit) =>
      life.ask(
        () => 'lists what is missing',
        () => store.listCandidates(integration, certificate, after, limit),
        (noteIds) => noteIds.map(nameOf).join(', ') || 'nothing',
      ),
    countCandidates: (integration, certificate) =>
      life.ask(
        () => 'counts what is missing',
        () => store.countCandidates(integration, certificate),
        String,
      ),
    listHeld: (integration, scanId, after, limit) =>
      life.ask(
        () => 'lists what is held back',
        () => store.listHeld(integration, scanId, after, limit),
        (noteIds) => noteIds.map(nameOf).join(', ') || 'nothing',
      ),
    listOverdue: (integration, hiddenBefore, limit) =>
      life.ask(
        () => 'lists what is overdue',
        () => store.listOverdue(integration, hiddenBefore, limit),
        (noteIds) => noteIds.map(nameOf).join(', ') || 'nothing',
      ),
    listHolds: (integration) =>
      life.ask(
        () => 'lists what scans hold back',
        () => store.listHolds(integration),
        done,
      ),
    count: (integration) =>
      life.ask(
        () => 'counts',
        () => store.count(integration),
        done,
      ),
    latestPosition: (integration) =>
      life.ask(
        () => 'asks for the latest position',
        () => store.latestPosition(integration),
        String,
      ),
    listChanges: (integration, after, limit) =>
      life.ask(
        () => `lists changes after ${after}`,
        () => store.listChanges(integration, after, limit),
        (changes) =>
          changes.map(({ state, position }) => `${nameOf(state.noteId)} at ${position}`).join(', ') || 'none',
      ),
    getNote: (integration, noteId) =>
      life.ask(
        () => `gets ${nameOf(noteId)}`,
        () => store.getNote(integration, noteId),
        done,
      ),
    listNotes: (integration, after, limit) =>
      life.ask(
        () => 'lists notes',
        () => store.listNotes(integration, after, limit),
        done,
      ),
    search: (integration, words, limit) =>
      life.ask(
        () => 'searches',
        () => store.search(integration, words, limit),
        done,
      ),
  }

  function load(integration: string, noteIds: readonly string[]): Promise<LoadedNotes> {
    return life.ask(
      () => `loads ${noteIds.map(nameOf).join(', ') || 'progress'}`,
      () => store.load(integration, noteIds),
      ({ sequence }) => `at ${sequence}`,
    )
  }

  /** As a store on a server may: it hands out the number, and reads the rows a moment later. */
  async function loadInSteps(integration: string, noteIds: readonly string[]): Promise<LoadedNotes> {
    const { sequence } = await load(integration, [])
    return { ...(await load(integration, noteIds)), sequence }
  }

  async function takeDue(integration: string, request: DueRequest): Promise<DueNotes> {
    const due = await store.takeDue(integration, request)
    chronicle.count(due.notes.length === 0 ? 'due: none' : 'due: some')
    return due
  }

  function wordsOf({ notes, progress, heardAt }: MirrorCommit): string {
    const scan = progress?.next.scan
    return [
      ...notes.map(wordsOfNote),
      ...(progress === undefined
        ? []
        : [`progress${scan == null ? '' : ` of a scan (${scan.phase}, since ${scan.startedAt})`}`]),
      ...(heardAt === undefined ? [] : ['that it heard an event']),
    ].join('; ')
  }

  function wordsOfNote({ state, content, announce }: NoteWrite): string {
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
}

function done(): string {
  return 'done'
}
