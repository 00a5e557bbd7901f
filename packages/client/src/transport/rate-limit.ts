/** How many more requests the service takes, and after how long it takes more again. */
export interface RateLimit {
  readonly remaining: number
  readonly resetMs: number
}

/**
 * Reads what an answer says of the rate limit: `RateLimit`, with the window of its `RateLimit-Policy` where it does not
 * tell the reset, or the older `RateLimit-Remaining` and `RateLimit-Reset`. Of several limits, the one that leaves least.
 */
export function rateLimitOf(headers: Headers): RateLimit | undefined {
  const announced = headers.get('ratelimit')
  if (announced === null) {
    return rateLimit(numberOf(headers.get('ratelimit-remaining')), numberOf(headers.get('ratelimit-reset')))
  }
  return announced
    .split(',')
    .map((item) => rateLimit(parameterOf(item, 'r'), parameterOf(item, 't') ?? windowOf(itemName(item), headers)))
    .reduce(stricter, undefined)
}

function rateLimit(remaining: number | undefined, seconds: number | undefined): RateLimit | undefined {
  return remaining === undefined || seconds === undefined ? undefined : { remaining, resetMs: seconds * 1000 }
}

function stricter(one: RateLimit | undefined, other: RateLimit | undefined): RateLimit | undefined {
  if (one === undefined || other === undefined) return one ?? other
  if (one.remaining === other.remaining) return one.resetMs > other.resetMs ? one : other
  return one.remaining < other.remaining ? one : other
}

function windowOf(name: string, headers: Headers): number | undefined {
  const policies = headers.get('ratelimit-policy')?.split(',') ?? []
  return parameterOf(policies.find((policy) => itemName(policy) === name) ?? '', 'w')
}

/** The name of an item in a structured field: what stands before its parameters. */
function itemName(item: string): string {
  return (item.split(';')[0] ?? '').trim()
}

function parameterOf(item: string, name: 'r' | 't' | 'w'): number | undefined {
  const [, ...parameters] = item.split(';').map((part) => part.trim())
  return numberOf(parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(2))
}

function numberOf(text: string | null | undefined): number | undefined {
  return text && /^\d{1,10}$/.test(text) ? Number(text) : undefined
}
