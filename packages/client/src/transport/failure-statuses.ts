/**
 * A gateway in front of the service reports that it got no proper response from the service, or did not pass the request on. 520 to 530 are
 * not of HTTP: Cloudflare sends them.
 */
export const GATEWAY_STATUSES: readonly number[] = [
  ...[425, 502, 504],
  ...[520, 521, 522, 523, 524, 525, 526, 527, 528, 530],
]

/** 529 is not of HTTP either. Some services answer it while they are overloaded (open point 37). */
export const RETRIED_STATUSES: readonly number[] = [408, 429, 500, 503, 529, ...GATEWAY_STATUSES]
