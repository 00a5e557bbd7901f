import type { DueNotes, DueRequest, LoadedNotes, MirrorCommit, MirrorStore, NoteWrite } from '@notewire/mirror'
import type { Life } from './life.ts'
import type { Stage } from './stage.ts'

/** The shared store, as one process has it. What takes effect is shown to the judge. */
export function distantStore(life: Life, stage: Stage): MirrorStore {
  const { store, judge, world, chronicle } = stage
  const { areLoadsInSteps } = stage.circumstances
  const nameOf = (noteId: string) => world.find(noteId)?.name ?? noteId

  return {
    migrate: () =>
      life.ask(
        () => 'migrates',
        () => store.migrate(),
        done,
      ),
    load: areLoadsInSteps ? loadInSteps : load,
    readProgress: (scope) =>
      life.ask(
        () => 'reads progress',
        () => store.readProgress(scope),
        ({ sequence }) => `at ${sequence}`,
      ),
    commit: (scope, commit) =>
      life.ask(
        () => `commits ${wordsOf(commit)}`,
        async () => {
          const outcome = await store.commit(scope, commit)
          chronicle.count(`commit: ${outcome}`)
          if (outcome === 'committed') await judge.look(commit)
          return outcome
        },
        String,
      ),
    takeDue: (scope, request) =>
      life.ask(
        () => `takes ${request.limit} due notes`,
        () => takeDue(scope, request),
        ({ notes, sequence }) =>
          `${notes.map(({ state }) => nameOf(state.noteId)).join(', ') || 'none'}, at ${sequence}`,
      ),
    listCandidates: (scope, certificate, after, limit) =>
      life.ask(
        () => 'lists what is missing',
        () => store.listCandidates(scope, certificate, after, limit),
        (noteIds) => noteIds.map(nameOf).join(', ') || 'nothing',
      ),
    countCandidates: (scope, certificate) =>
      life.ask(
        () => 'counts what is missing',
        () => store.countCandidates(scope, certificate),
        String,
      ),
    listHeld: (scope, scanId, after, limit) =>
      life.ask(
        () => 'lists what is held back',
        () => store.listHeld(scope, scanId, after, limit),
        (noteIds) => noteIds.map(nameOf).join(', ') || 'nothing',
      ),
    listOverdue: (scope, hiddenBefore, limit) =>
      life.ask(
        () => 'lists what is overdue',
        () => store.listOverdue(scope, hiddenBefore, limit),
        (noteIds) => noteIds.map(nameOf).join(', ') || 'nothing',
      ),
    listHolds: (scope) =>
      life.ask(
        () => 'lists what scans hold back',
        () => store.listHolds(scope),
        done,
      ),
    count: (scope) =>
      life.ask(
        () => 'counts',
        () => store.count(scope),
        done,
      ),
    latestPosition: (scope) =>
      life.ask(
        () => 'asks for the latest position',
        () => store.latestPosition(scope),
        String,
      ),
    listChanges: (scope, after, limit) =>
      life.ask(
        () => `lists changes after ${after}`,
        () => store.listChanges(scope, after, limit),
        (changes) =>
          changes.map(({ state, position }) => `${nameOf(state.noteId)} at ${position}`).join(', ') || 'none',
      ),
    getNote: (scope, noteId) =>
      life.ask(
        () => `gets ${nameOf(noteId)}`,
        () => store.getNote(scope, noteId),
        done,
      ),
    listNotes: (scope, after, limit) =>
      life.ask(
        () => 'lists notes',
        () => store.listNotes(scope, after, limit),
        done,
      ),
    search: (scope, words, limit) =>
      life.ask(
        () => 'searches',
        () => store.search(scope, words, limit),
        done,
      ),
  }

  function load(scope: string, noteIds: readonly string[]): Promise<LoadedNotes> {
    return life.ask(
      () => `loads ${noteIds.map(nameOf).join(', ') || 'progress'}`,
      () => store.load(scope, noteIds),
      ({ sequence }) => `at ${sequence}`,
    )
  }

  /** As a store on a server may: it hands out the number, and reads the rows a moment later. */
  async function loadInSteps(scope: string, noteIds: readonly string[]): Promise<LoadedNotes> {
    const { sequence } = await load(scope, [])
    return { ...(await load(scope, noteIds)), sequence }
  }

  async function takeDue(scope: string, request: DueRequest): Promise<DueNotes> {
    const due = await store.takeDue(scope, request)
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
