import { NotewireError } from './errors.ts'

/** An invalid option or argument. Thrown before anything is sent or changed. */
export class OptionError extends NotewireError<'option_invalid'> {
  /** The option's name. */
  readonly option: string

  constructor(option: string, message: string) {
    super('option_invalid', message)
    this.option = option
  }
}

/**
 * The names of options: an object with every name, so that it does not compile when a name is forgotten or unknown, or a list of names that
 * come from such an object.
 */
type OptionNames<Options> = { readonly [Name in KeyOf<Options>]: true } | readonly string[]

/** The names of the options of every member of a union. */
type KeyOf<Options> = Options extends unknown ? keyof Options : never

/**
 * Refuses unknown options, because a misspelt option would silently do nothing, and options that are not an object.
 *
 * The error suggests a known option that the unknown one resembles: `baseURL` is answered with `baseUrl`, `timeout`
 * with `timeoutMs`.
 *
 * @param aliases  option names of other libraries that do not resemble ours, each with our name: `token` for `apiKey`
 * @throws {@link OptionError} with the unknown option, the option that is probably meant, and all known options
 */
export function refuseUnknownOptions<Options extends object>(
  maker: string,
  options: Options,
  known: OptionNames<Options>,
  aliases?: ReadonlyMap<string, string>,
): void {
  const names = namesIn(known)
  refuseOptionsBut(maker, options, names, (option) => {
    const meant = aliases?.get(option) ?? names.find((each) => resembles(option, each))
    const unit = meant?.endsWith('Ms') ? ', in milliseconds' : ''
    return meant ? `Did you mean "${meant}"${unit}? ` : ''
  })
}

/**
 * Does the same as {@link refuseUnknownOptions}, without a suggestion. `@notewire/webhooks/verify` uses it, because it is smaller.
 *
 * @param suggest  returns a sentence about an unknown option that ends in a space, or an empty string
 * @throws {@link OptionError} with the unknown option and all known options
 */
export function refuseOptionsBut<Options extends object>(
  maker: string,
  options: Options,
  known: OptionNames<Options>,
  suggest: (option: string) => string = () => '',
): void {
  const names = namesIn(known)
  const advice = `It takes: ${names.join(', ')}.`
  if (!options || typeof options !== 'object') {
    throw new OptionError('options', `${maker} needs an object of options. ${advice}`)
  }
  refuseOtherObjects(maker, options, advice)
  for (const option of Object.keys(options)) {
    if (names.includes(option)) continue
    throw new OptionError(option, `${maker} has no option "${option}". ${suggest(option)}${advice}`)
  }
}

function namesIn(known: object): readonly string[] {
  return Array.isArray(known) ? known : Object.keys(known)
}

/** The options of a signal or a map have no names of their own, so that all of them would silently have no effect. */
function refuseOtherObjects(maker: string, options: object, advice: string): void {
  const kind = Object.prototype.toString.call(options).slice('[object '.length, -1)
  // `import * as options` is a `Module`.
  if (kind === 'Object' || kind === 'Module') return
  const article = /^[AEIO]/.test(kind) ? 'an' : 'a'
  const signal = SIGNALS[kind] ?? ''
  throw new OptionError(
    signal === '' ? 'options' : 'signal',
    `${maker} got ${article} ${kind}, not an object of options. ${signal}${advice}`,
  )
}

const SIGNALS: Readonly<Record<string, string>> = {
  AbortSignal: 'Pass { signal }. ',
  AbortController: 'Pass { signal: controller.signal }. ',
}

/**
 * Refuses an object of options, or a signal, that is given to a function without options: it would silently have no effect. Other surplus
 * arguments are ignored, because `ids.map(mirror.get)` passes an index and an array.
 *
 * @throws {@link OptionError}
 */
export function refuseSurplusOptions(maker: string, surplus: readonly unknown[]): void {
  for (const given of surplus) {
    const kind = Object.prototype.toString.call(given).slice('[object '.length, -1)
    if (kind !== 'Object' && SIGNALS[kind] === undefined) continue
    const [option = 'options'] = kind === 'Object' ? Object.keys(Object(given)) : ['signal']
    throw new OptionError(option, `${maker} takes no options, but was given "${option}". Call it without.`)
  }
}

/**
 * Refuses a value that lacks a method of an interface, such as the promise of a store, or a function that returns a store.
 *
 * @throws {@link OptionError} if `thing` lacks one of the methods
 */
export function refuseWithoutMethods<Thing extends object>(
  option: string,
  thing: Thing,
  methods: readonly (keyof Thing & string)[],
): void {
  const given: Partial<Thing> | null = thing
  const missing = methods.find((method) => typeof given?.[method] !== 'function')
  if (missing === undefined) return
  throw new OptionError(
    option,
    `${option} has no method "${missing}". Pass an object with ${methods.join(', ')}, or omit it.${adviceFor(given)}`,
  )
}

function adviceFor(given: unknown): string {
  if (typeof given === 'function') return ' It is a function: call it, if it makes the object.'
  return typeof Object(given).then === 'function' ? ' It is a promise: await it.' : ''
}

/**
 * Refuses a value that is given as an `AbortSignal` and is none, such as its controller. `undefined` is no signal.
 *
 * @throws {@link OptionError}
 */
export function refuseNoSignal(signal: AbortSignal | null | undefined): void {
  if (signal === undefined || signal === null || typeof signal.throwIfAborted === 'function') return
  const problem = Object(signal).signal === undefined ? 'not an AbortSignal' : 'an AbortController'
  throw new OptionError(
    'signal',
    `signal is ${problem}. Pass the signal of a controller: { signal: controller.signal }.`,
  )
}

/**
 * Whether one name contains the other, ignoring case, or their ends alone differ: `timeout` and `timeoutMs`, `base_url` and `baseUrl`, `maxRetry`
 * and `maxRetries`.
 */
function resembles(option: string, known: string): boolean {
  const one = option.replaceAll('_', '').toLowerCase()
  const other = known.replaceAll('_', '').toLowerCase()
  // Too many words contain a name as short as `on`.
  if (known.length <= 2 || option.length <= 2) return false
  return one.includes(other) || other.includes(one) || haveOtherEnds(one, other)
}

/** Whether two names begin with the same letters, except for the last three at most. */
function haveOtherEnds(one: string, other: string): boolean {
  const isSame = (end: number) => one.slice(0, end) === other.slice(0, end)
  const shared = Math.max(one.length, other.length) - 3
  return shared >= 4 && isSame(shared)
}

/** Whether a value is a `Uint8Array`, also one of another realm: test runners run code in realms of their own. */
export function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]'
}
