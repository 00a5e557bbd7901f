import { UsageError } from '../errors/failure.ts'
import { type Screen, shownText } from './screen.ts'

/** Asks the user at the terminal. Questions are printed on stderr, so that stdout can be piped. */
export interface Prompts {
  /** Whether the user can be asked: stdin and stderr are a terminal, and `--json` was not given. */
  readonly available: boolean
  /** @throws UsageError that names `--yes`, if the user cannot be asked whether to do something: `delete the endpoint` */
  require(deed: string): void
  /**
   * Asks for a secret. The terminal does not show it or its length.
   *
   * @returns what was typed
   * @throws the reason of the signal if the user types Ctrl-C
   */
  secret(question: string): Promise<string>
  /**
   * Asks a question, unless the user has agreed already with `--yes`.
   *
   * @param enterAgrees  whether Enter alone agrees: only where a yes changes nothing that the user had
   * @returns whether the user agrees; `false` if the user cannot be asked
   */
  confirm(question: string, isAgreed?: boolean, enterAgrees?: boolean): Promise<boolean>
  /** Reads the terminal key by key until it is disposed. `q` and Ctrl-C interrupt the run. Only if {@link Prompts.available}. */
  keys(press: (key: string) => void): Disposable
}

interface PromptSources {
  readonly stdin: NodeJS.ReadStream
  readonly signal: AbortSignal
  readonly json: boolean
  /** Called at Ctrl-C, because a terminal that is read key by key sends no signal. */
  readonly interrupt: () => void
}

export function createPrompts(screen: Screen, { stdin, signal, json, interrupt }: PromptSources): Prompts {
  const available = stdin.isTTY === true && screen.stderr.isTTY === true && !json
  function answered<Answer>(answer: Answer | symbol): Answer {
    if (typeof answer !== 'symbol') return answer
    interrupt()
    throw signal.reason
  }
  const streams = { input: stdin, output: screen.stderr, signal }
  return {
    available,
    require(deed) {
      if (available) return
      const message = `the program cannot ask whether to ${deed}, because this is not a terminal. Pass --yes to ${deed} without a question.`
      throw new UsageError(message)
    },
    async secret(message) {
      const { password } = await import('@clack/prompts')
      return answered<string>(await password({ message: shownText(message), mask: ' ', ...streams }))
    },
    async confirm(message, isAgreed = false, enterAgrees = false) {
      if (isAgreed || !available) return isAgreed
      const { confirm } = await import('@clack/prompts')
      return answered<boolean>(await confirm({ message: shownText(message), initialValue: enterAgrees, ...streams }))
    },
    keys(press) {
      const read = (typed: Buffer) => {
        for (const key of typed.toString()) {
          if (key === 'q' || key === '\u0003') interrupt()
          else press(key)
        }
      }
      stdin.setRawMode(true).on('data', read).resume()
      return { [Symbol.dispose]: () => void stdin.off('data', read).setRawMode(false).pause() }
    },
  }
}
