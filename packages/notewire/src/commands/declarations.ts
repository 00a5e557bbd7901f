import { UsageError } from '../usage-error.ts'
import { choicesOf, path, Unreadable, type ValueReader } from './value-readers.ts'

/** An option of a command: how it is typed, what it says, and what is made of it. */
export interface OptionDeclaration<Value> {
  /** As commander takes them: `-p, --port <number>`. */
  readonly flags: string
  readonly description: string
  /** What the help shows as its default. */
  readonly shownDefault: string | undefined
  /** What the help lists and completions offer. */
  readonly choices: readonly string[]
  /** Whether it is a path, which shells complete. */
  readonly isPath: boolean
  /** @param texts  what was typed for it, in order; a flag that was given is one empty text */
  readonly read: (texts: readonly string[]) => Value
}

/** An argument of a command. */
export interface ArgumentDeclaration<Value> {
  /** As commander takes it: `<note>`, `[files...]`. */
  readonly name: string
  readonly description: string
  readonly choices: readonly string[]
  readonly isPath: boolean
  readonly read: (texts: readonly string[]) => Value
}

/** The options of a command, by the name under which it finds their values. */
export type OptionTable = Readonly<Record<string, OptionDeclaration<unknown>>>

/** The arguments of a command, in order, by the name under which it finds their values. */
export type ArgumentTable = Readonly<Record<string, ArgumentDeclaration<unknown>>>

/** What a command gets for its declarations. */
export type ValuesOf<Table extends OptionTable | ArgumentTable> = {
  readonly [Name in keyof Table]: ReturnType<Table[Name]['read']>
}

/** An option that is there or not: `flag('--wait', 'wait until it is active')`. */
export function flag(flags: string, description: string): OptionDeclaration<boolean> {
  return { flags, description, shownDefault: undefined, choices: [], isPath: false, read: (texts) => texts.length > 0 }
}

/** An option that takes a value, and may be left out: the last one typed counts. */
export function option<Value>(
  flags: string,
  description: string,
  read: ValueReader<Value>,
): OptionDeclaration<Value | undefined>
/** An option that takes a value and has a default. `shownDefault` is how somebody would type that. */
export function option<Value>(
  flags: string,
  description: string,
  read: ValueReader<Value>,
  fallback: Value,
  shownDefault?: string,
): OptionDeclaration<Value>
export function option<Value>(
  flags: string,
  description: string,
  read: ValueReader<Value>,
  fallback?: Value,
  shownDefault = fallback === undefined ? undefined : String(fallback),
): OptionDeclaration<Value | undefined> {
  return {
    flags,
    description,
    shownDefault,
    ...kindOf(read),
    read: (texts) => {
      const last = texts.at(-1)
      return last === undefined ? fallback : readTyped(longName(flags), last, read)
    },
  }
}

/** An option that takes a value and may be given several times. */
export function repeated<Value>(
  flags: string,
  description: string,
  read: ValueReader<Value>,
): OptionDeclaration<readonly Value[]> {
  return {
    flags,
    description: `${description}; can be repeated`,
    shownDefault: undefined,
    ...kindOf(read),
    read: (texts) => texts.map((each) => readTyped(longName(flags), each, read)),
  }
}

/** An argument that must be given: `required('url', 'where the receiver is', httpUrl)`. */
export function required<Value>(
  name: string,
  description: string,
  read: ValueReader<Value>,
): ArgumentDeclaration<Value> {
  return {
    name: `<${name}>`,
    description,
    ...kindOf(read),
    // That it is there has been seen to by the parser.
    read: ([first = '']) => readTyped(`<${name}>`, first, read),
  }
}

/** An argument that may be left out. */
export function optional<Value>(
  name: string,
  description: string,
  read: ValueReader<Value>,
): ArgumentDeclaration<Value | undefined> {
  return {
    name: `[${name}]`,
    description,
    ...kindOf(read),
    read: ([first]) => (first === undefined ? undefined : readTyped(`[${name}]`, first, read)),
  }
}

/** The last argument, which takes all that is left, or nothing. */
export function several<Value>(
  name: string,
  description: string,
  read: ValueReader<Value>,
): ArgumentDeclaration<readonly Value[]> {
  return {
    name: `[${name}...]`,
    description,
    ...kindOf(read),
    read: (texts) => texts.map((each) => readTyped(`[${name}...]`, each, read)),
  }
}

/** Reads what was typed, and says where when it cannot be. */
function readTyped<Value>(place: string, typed: string, read: ValueReader<Value>): Value {
  try {
    return read(typed)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const found = error.found === undefined ? '' : `, not "${error.found}"`
    throw new UsageError(`${place} takes ${error.expected}${found}.`)
  }
}

function kindOf(read: ValueReader<unknown>): { readonly choices: readonly string[]; readonly isPath: boolean } {
  return { choices: choicesOf(read), isPath: read === path }
}

/** `-p, --port <number>` is known as `--port`. */
export function longName(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags
}
