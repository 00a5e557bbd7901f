import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { curlOf } from './delivery-attempts.ts'

it('a shell reads the command as the request that it stands for, whatever is in it', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((drawn) => !drawn.includes('\0'))
  fc.assert(
    fc.property(text, text, (value, body) => {
      const url = 'http://127.0.0.1:3000/hooks?a=1&b=$HOME'
      const command = curlOf({ url, headers: { 'webhook-id': value }, body })
      expect(argumentsOf(command)).toEqual([
        '--request',
        'POST',
        url,
        '--header',
        `webhook-id: ${value}`,
        '--data-raw',
        body,
      ])
    }),
    { numRuns: 40, examples: [["it's $(touch /tmp/x) `id`\n", "'\\''"]] },
  )
})

/** What a program named curl is given. */
function argumentsOf(command: string): string[] {
  const output = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], { encoding: 'utf8' })
  return output.split('\0').slice(0, -1)
}
