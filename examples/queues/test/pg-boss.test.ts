import { startPgBoss } from './engines.ts'
import { testQueue } from './test-queue.ts'

testQueue('pg-boss', startPgBoss)
