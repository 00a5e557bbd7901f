import { startBullmq } from './engines.ts'
import { testQueue } from './test-queue.ts'

testQueue('BullMQ', startBullmq)
