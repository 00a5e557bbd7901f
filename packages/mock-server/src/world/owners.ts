import { MockServerError } from '../errors/mock-server-error.ts'
import { identifiersFrom } from '../seed/identifiers.ts'
import type { ApiKey, Integration } from './integration.ts'
import { seedNotes } from './seeded-notes.ts'
import { World, type WorldParts } from './world.ts'

interface OwnersParts extends Omit<WorldParts, 'name' | 'makeFirstIdentifier' | 'makeIdentifier'> {
  readonly owners: number | readonly string[]
  readonly notes: number
  readonly identifierSeed: number | undefined
}

/** The owners of a service. Each has a `World`, which only the keys of this owner access. */
export class Owners {
  readonly #parts: OwnersParts
  readonly #worlds: World[] = []

  readonly first: World

  constructor(parts: OwnersParts) {
    this.#parts = parts
    const { owners } = parts
    const [first, ...others] = typeof owners === 'number' ? Array.from({ length: owners }, () => undefined) : owners
    this.first = this.create(first)
    for (const name of others) this.create(name)
  }

  all(): readonly World[] {
    return this.#worlds
  }

  /** @param name  default: `owner-1`, `owner-2` and so on */
  create(name = `owner-${this.#worlds.length + 1}`): World {
    const { notes: count, timeline, random: shared, identifierSeed, apiKey } = this.#parts
    timeline.requireOpen()
    const number = this.#worlds.length + 1
    // The first owner uses the streams of the service itself.
    const random = number === 1 ? shared : shared.fork(`owner ${number}`)
    const makeFirstIdentifier = identifiersFrom(random.fork('identifiers'))
    const makeIdentifier =
      identifierSeed === undefined ? makeFirstIdentifier : identifiersFrom(random.fork(`identifiers ${identifierSeed}`))
    const ofFirst = number === 1 ? apiKey : undefined
    const world = new World({ ...this.#parts, name, makeFirstIdentifier, makeIdentifier, random, apiKey: ofFirst })
    seedNotes(world.notes, {
      count,
      now: timeline.now(),
      makeIdentifier: makeFirstIdentifier,
      random: random.fork('notes'),
    })
    this.#worlds.push(world)
    return world
  }

  /**
   * @param owner_id  default: the first owner
   * @throws {@link MockServerError} `owner_unknown`
   */
  find(owner_id = this.first.owner_id): World {
    const world = this.#worlds.find((known) => known.owner_id === owner_id)
    return world ?? refuse('owner_unknown', `owner ${owner_id}`)
  }

  only(owner_id: string | undefined): readonly World[] {
    return owner_id === undefined ? this.#worlds : [this.find(owner_id)]
  }

  /** @throws {@link MockServerError} `note_unknown` */
  ofNote(note_id: string): World {
    const world = this.#worlds.find(({ notes }) => notes.find(note_id) !== undefined)
    return world ?? refuse('note_unknown', `note ${note_id}`)
  }

  /** @throws {@link MockServerError} `integration_unknown` */
  integration(integration_id: string): { readonly world: World; readonly integration: Integration } {
    for (const world of this.#worlds) {
      const integration = world.integrations.all().find((known) => known.integration_id === integration_id)
      if (integration !== undefined) return { world, integration }
    }
    return refuse('integration_unknown', `integration ${integration_id}`)
  }

  keyFor(key: string): { readonly world: World; readonly apiKey: ApiKey } | undefined {
    for (const world of this.#worlds) {
      const apiKey = world.integrations.keyFor(key)
      if (apiKey !== undefined) return { world, apiKey }
    }
    return undefined
  }
}

function refuse(code: 'owner_unknown' | 'note_unknown' | 'integration_unknown', what: string): never {
  throw new MockServerError(code, `this service has no ${what}`, 'Pass an identifier that this service listed.')
}
