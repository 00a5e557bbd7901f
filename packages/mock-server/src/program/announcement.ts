import type { UrlPolicyName } from '../addresses/url-policy.ts'
import type { NotesService } from '../notes-service.ts'
import type { ServeCommand } from './arguments.ts'
import type { Stage } from './play-scenario.ts'

/** What the program prints once the service listens: where it is, and what is shown once. */
export function announcementOf(
  service: NotesService,
  { keys, endpoints }: Stage,
  { host }: ServeCommand,
  urlPolicy: UrlPolicyName = 'local',
): string {
  const { baseUrl, apiKey } = service
  const shown = [
    ['Base URL', baseUrl],
    ['API key', apiKey],
    ...[...keys].map(([name, { key }]) => [`API key of ${name}`, key]),
    ...endpoints.map(({ url, signing_secret }) => [`Secret of ${url}`, signing_secret]),
    ['Console', `${baseUrl}/console`],
  ]
  const width = Math.max(...shown.map(([label = '']) => label.length))
  return [
    'The notes service is ready.',
    '',
    ...shown.map(([label = '', value]) => `  ${label.padEnd(width)}  ${value}`),
    '',
    ...(isLoopback(host) ? [] : [`It listens on ${host}: whoever reaches this machine can use it.`]),
    ...(urlPolicy === 'local'
      ? ['Endpoints may have any URL, private addresses included ("urlPolicy": "local").']
      : []),
    `Try it:  curl -H 'Authorization: Bearer ${apiKey}' ${baseUrl}/v1/notes`,
    'Stop it: Ctrl-C',
  ].join('\n')
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}
