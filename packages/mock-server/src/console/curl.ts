/** The curl command that sends the same request again, byte for byte, in a POSIX shell. */
export function curlOf({
  url,
  headers,
  body,
}: {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}): string {
  return [
    `curl --request POST ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
