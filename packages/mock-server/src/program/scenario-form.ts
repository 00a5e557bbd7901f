import { NOTE_EVENT_KINDS, SCOPES } from '@notewire/protocol'
import { type Duration, durationMs } from '../clock/duration.ts'
import { type Form, isObject, list, name, object, oneOf, text, value } from './form.ts'

const duration = value('a time such as "90s" or "26h40m", or milliseconds', isDuration)

/** What every act has, and what each has beside it, by its `do`. */
const ACTS: Readonly<Record<string, Form>> = {
  record: act({ note: name }, { title: text, content: text, channel: name }),
  'record-again': act({ note: name }),
  end: act(
    { note: name },
    {
      transcript: list(object({ text }, { speaker: value('a text or null', isTextOrNull) })),
      summary: value('a text, or false for none', (given) => typeof given === 'string' || given === false),
    },
  ),
  edit: act({ note: name }, { title: text, content: text }),
  move: act({ note: name, to: name }),
  delete: act({ note: name }),
  revoke: act({ integration: name }),
}

const anyAct: Form = (given, path) => {
  if (!isObject(given)) return { path, expected: 'an object' }
  const kind = oneOf(Object.keys(ACTS))(given['do'], `${path}.do`)
  return kind ?? ACTS[String(given['do'])]?.(given, path)
}

/** The form of a scenario file. `scenario.schema.json` says the same to editors; a test holds both against each other. */
export const scenarioForm: Form = object(
  {},
  {
    $schema: text,
    service: value('an object', isObject),
    channels: list(name),
    integrations: list(object({ name }, { channels: list(name, 1), scopes: list(oneOf(SCOPES), 1) })),
    endpoints: list(object({ url: name }, { events: list(oneOf(NOTE_EVENT_KINDS), 1), integration: name })),
    acts: list(anyAct),
  },
)

function act(required: Readonly<Record<string, Form>>, optional: Readonly<Record<string, Form>> = {}): Form {
  return object({ at: duration, do: text, ...required }, optional)
}

function isDuration(given: unknown): boolean {
  if (typeof given !== 'number' && typeof given !== 'string') return false
  try {
    return durationMs(given as Duration) >= 0
  } catch {
    return false
  }
}

function isTextOrNull(given: unknown): boolean {
  return given === null || typeof given === 'string'
}
