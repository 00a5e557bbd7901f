import type { Screen } from './screen.ts'

/** Asks whoever sits at the terminal. Questions go to stderr, so that stdout can be piped. */
export interface Prompts {
  /** Whether somebody can be asked: stdin and stderr are a terminal, and `--json` was not given. */
  readonly available: boolean
  /**
   * Asks for a secret, and shows nothing of what is typed, not even how long it is.
   *
   * @returns what was typed
   * @throws the reason of the signal, when Ctrl-C was typed instead
   */
  secret(question: string): Promise<string>
  /** Asks for a yes; anything else is a no. */
  confirm(question: string): Promise<boolean>
}

/** The prompts of one run. */
export function createPrompts(
  screen: Screen,
  {
    stdin,
    signal,
    json,
    interrupt,
  }: {
    readonly stdin: NodeJS.ReadStream
    readonly signal: AbortSignal
    readonly json: boolean
    /** What Ctrl-C does: a terminal that is read key by key sends no signal for it. */
    readonly interrupt: () => void
  },
): Prompts {
  const available = stdin.isTTY === true && screen.stderr.isTTY === true && !json
  function answered<Answer>(answer: Answer | symbol): Answer {
    if (typeof answer !== 'symbol') return answer
    interrupt()
    throw signal.reason
  }
  const streams = { input: stdin, output: screen.stderr, signal }
  return {
    available,
    async secret(message) {
      const { password } = await import('@clack/prompts')
      return answered<string>(await password({ message, mask: ' ', ...streams }))
    },
    async confirm(message) {
      const { confirm } = await import('@clack/prompts')
      return answered<boolean>(await confirm({ message, initialValue: false, ...streams }))
    },
  }
}
