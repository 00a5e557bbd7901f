let name: string | undefined

/**
 * The name of the savepoint in the transaction of an event. No handler knows it, so none can set it again in a transaction of its own, or roll
 * back to it. It stays the same in a process, because PostgreSQL counts statements by their text.
 */
export function savepointName(): string {
  // Cloudflare refuses random values while a module is loaded.
  name ??= `notewire_${crypto.randomUUID().replaceAll('-', '')}`
  return name
}
