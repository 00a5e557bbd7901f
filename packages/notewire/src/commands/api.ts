import { Argument, InvalidArgumentError } from '@commander-js/extra-typings'
import { text } from '../configuration/value-readers.ts'
import type { Run } from '../context/context.ts'
import { openClient } from '../context/notes-client.ts'
import { EXIT_CODES, type ExitCode, fetchError } from '../errors/failure.ts'
import { printableJson } from '../terminal/width.ts'
import { newCommand } from './new-command.ts'

export const command = (run: Run) =>
  newCommand({
    description:
      'Sends one request to the notes service with your API key, and prints the body of the response. It is sent once, without a retry.',
    settings: ['baseUrl', 'apiKey'],
    examples: {
      'api GET "/v1/notes?limit=2"': 'the first page of the notes',
      'api GET /v1/notes/<note>/transcript | jq -r .text': 'the transcript of a note',
    },
    next: 'To get all notes with their content: notewire pull.',
  })
    .addArgument(new Argument('<method>', 'the HTTP method').choices(['GET', 'POST', 'PATCH', 'DELETE'] as const))
    .addArgument(new Argument('<path>', 'the path, from /v1/ on, and the query').argParser(apiPath))
    .option('--body <json>', 'the body of the request', text)
    .action(
      run(async ({ settings, signal, output, ...context }, method, path, { body }) => {
        // The client checks the URL and the key: it sends no key over http to another machine.
        await openClient({ settings, ...context })
        const url = new URL((await settings.require('baseUrl')).replace(/(?<!\/)\/+$/, '') + path)
        const { response, received } = await request(url, {
          method,
          headers: {
            authorization: `Bearer ${await settings.requireSecret('apiKey')}`,
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { body }),
          redirect: 'manual',
          signal,
        })
        const json = parsed(received)
        await output.print(
          { status: response.status, body: json ?? received },
          (json === undefined ? received : printableJson(json, 2)).split(/\r?\n/),
        )
        if (!response.ok) output.warn(`The service answered ${response.status}.`)
        return exitCodeOf(response.status)
      }),
    )

async function request(url: URL, sent: RequestInit): Promise<{ response: Response; received: string }> {
  try {
    const response = await fetch(url, sent)
    return { response, received: await response.text() }
  } catch (error) {
    throw fetchError(error, url)
  }
}

function apiPath(given: string): string {
  if (/^\/v1\/[!-~]*$/.test(given)) return given
  throw new InvalidArgumentError('It takes a path that begins with /v1/, without spaces.')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function exitCodeOf(status: number): ExitCode {
  if (status >= 200 && status < 300) return EXIT_CODES.done
  if (status === 401 || status === 403) return EXIT_CODES.refused
  return status === 425 || status === 429 || status >= 500 ? EXIT_CODES.unreachable : EXIT_CODES.failed
}
