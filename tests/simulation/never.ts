/** What those wait for who have died. */
export function never<Answer = void>(): Promise<Answer> {
  return new Promise(() => undefined)
}
