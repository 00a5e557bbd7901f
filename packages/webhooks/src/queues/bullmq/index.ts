export type { DeadLetter, DeadLetters, EventQueue, QueuedEvent, QueueWorker } from '../../interfaces/queue.ts'
export { EventNotAppliedError, type ProcessingReceiver } from '../run-job.ts'
export { type BullmqQueue, type BullmqQueueOptions, bullmqQueue } from './bullmq-queue.ts'
export {
  type BullmqProcessor,
  type BullmqWorkerOptions,
  type BullmqWorkerSettings,
  bullmqWorker,
} from './bullmq-worker.ts'
export type { BullmqEngine, BullmqJob, BullmqWorkerEngine } from './engine.ts'
