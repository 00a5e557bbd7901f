import type { WebhookEvent } from '@notewire/protocol'

/**
 * The queue to which a receiver passes verified events, for workers to process: `bullmqQueue`, `pgBossQueue`, or a small adapter of
 * another engine.
 */
export interface EventQueue {
  /**
   * Resolves when the engine has stored the event durably. The receiver then acknowledges the event, and the service does not send it
   * again. An event that is waiting or running is not queued twice; the event of a dead letter is queued again. Rejects if the engine did
   * not confirm; the service then sends the event again.
   */
  enqueue(integration: string, event: WebhookEvent): Promise<void>
}

/** The content of a job. It contains nothing else of the request: neither headers nor secrets. */
export interface QueuedEvent {
  readonly integration: string
  readonly event: WebhookEvent
}

/** An event whose attempts are used up. The queue keeps it for 30 days, or until you replay it. */
export interface DeadLetter extends QueuedEvent {
  /** Identifies the dead letter to the engine. */
  readonly id: string
  /** The failure of the last attempt: the name of the handler's error, never its message, which may quote a note. */
  readonly reason: string
  /** When the last attempt failed. */
  readonly failedAt: Date
}

/** Lists and replays dead letters. */
export interface DeadLetters {
  /**
   * Lists dead letters, oldest first.
   *
   * @param limit  the maximum number
   * @default 100
   */
  listDeadLetters(limit?: number): Promise<readonly DeadLetter[]>
  /**
   * Queues the events of dead letters again, with all their attempts. The receiver still applies the revision gate: if a newer revision
   * was applied in the meantime, the event is stale.
   *
   * @returns the number of queued events, without dead letters that no longer exist
   */
  replayDeadLetters(letters: readonly Pick<DeadLetter, 'id'>[]): Promise<number>
}

/** Processes queued events until it is closed. */
export interface QueueWorker extends AsyncDisposable {
  /**
   * Starts no further event, and resolves when running handlers have ended. Close the receiver at the same time, because it aborts the
   * signals of the handlers and limits how long they may take: `Promise.all([worker.close(), receiver.close()])`.
   */
  close(): Promise<void>
}
