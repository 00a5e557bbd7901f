/** Logs what needs attention: `console`, or any logger with these three methods. */
export interface Logger {
  /** Normal operation. */
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  /** Something was refused or will be retried. */
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  /** An operator must act: a handler failed, or a secret is missing. */
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}
