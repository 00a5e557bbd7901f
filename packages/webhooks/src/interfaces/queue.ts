import type { WebhookEvent } from '@notewire/protocol'

/**
 * Where a receiver hands verified events to, for workers to process: `bullmqQueue`, `pgBossQueue`, or a few lines over
 * another engine.
 */
export interface EventQueue {
  /**
   * Resolves when the engine holds the event so that it survives this process, because the service is then told that it
   * need not send it again. An event that already waits or runs is not queued twice; one that has failed for good runs
   * again. Rejects when the engine did not confirm: the service sends the event again.
   */
  enqueue(integration: string, event: WebhookEvent): Promise<void>
}

/** What a job holds: nothing of the request that brought the event, neither headers nor secrets. */
export interface QueuedEvent {
  readonly integration: string
  readonly event: WebhookEvent
}

/** An event whose attempts are spent. It stays until it is replayed, or 30 days have passed. */
export interface DeadLetter extends QueuedEvent {
  /** Identifies the dead letter to the engine. */
  readonly id: string
  /** What happened at the last attempt: the name of the handler's error, never its message, which may quote a note. */
  readonly reason: string
  /** When the last attempt failed. */
  readonly failedAt: Date
}

/** Events whose attempts are spent, to inspect and replay. */
export interface DeadLetters {
  /**
   * Lists dead letters, oldest first.
   *
   * @param limit  how many at most
   * @default 100
   */
  listDeadLetters(limit?: number): Promise<readonly DeadLetter[]>
  /**
   * Queues the events of dead letters again, with all their attempts. The receiver still decides: what was overtaken by
   * a newer revision meanwhile is stale.
   *
   * @returns how many were queued; a dead letter that is gone, or whose event is queued already, does not count
   */
  replayDeadLetters(letters: readonly Pick<DeadLetter, 'id'>[]): Promise<number>
}

/** Processes queued events until it is closed. */
export interface QueueWorker extends AsyncDisposable {
  /**
   * Takes no further event, and resolves when running handlers have ended. Close the receiver at the same time, which fires
   * their signals and limits how long they may take to end: `Promise.all([worker.close(), receiver.close()])`.
   */
  close(): Promise<void>
}
