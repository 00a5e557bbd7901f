import { createHmac } from 'node:crypto'
import { createVerifier } from '@notewire/webhooks/verify'
import { KEY, SECRET } from './deliveries.ts'
import type { Table } from './report.ts'

const SAMPLES = 60_000
/** A larger Welch's t means that the times differ (dudect's threshold). */
const THRESHOLD = 4.5

/**
 * Compares the time for signatures whose first byte is wrong with the time for signatures whose last byte is wrong,
 * interleaved at random, as dudect does (Reparaz, Balasch, Verbauwhede 2017).
 */
export async function measureConstantTime(): Promise<readonly Table[]> {
  const verify = createVerifier({ secret: SECRET })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const body = Buffer.from('{"event_id":"evt_1"}')
  const right = createHmac('sha256', KEY).update(`msg_1.${timestamp}.`).update(body).digest()
  const headersOf = (wrongAt: number) => {
    const signature = Buffer.from(right)
    signature.writeUInt8(signature.readUInt8(wrongAt) ^ 0xff, wrongAt)
    return {
      'webhook-id': 'msg_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature.toString('base64')}`,
    }
  }
  const classes = [headersOf(0), headersOf(31)] as const
  const samples: [number[], number[]] = [[], []]
  for (let index = 0; index < SAMPLES + 5_000; index += 1) {
    const which = Math.random() < 0.5 ? 0 : 1
    const began = process.hrtime.bigint()
    await verify(body, classes[which])
    const nanoseconds = Number(process.hrtime.bigint() - began)
    if (index >= 5_000) samples[which].push(nanoseconds)
  }
  const t = Math.abs(welch(cropped(samples[0]), cropped(samples[1])))
  return [
    {
      title: 'Does the time of a rejection reveal a signature?',
      unit: "Welch's t",
      note: `Compares ${SAMPLES.toLocaleString('en')} rejections of signatures whose first or last byte is wrong. Below the aim, the threshold of dudect, no difference is measurable.`,
      rows: [{ name: 'notewire', value: t, budget: THRESHOLD }],
    },
  ]
}

// Drops the slowest tenth, which the scheduler and the garbage collector cause.
function cropped(values: readonly number[]): readonly number[] {
  return values.toSorted((a, b) => a - b).slice(0, Math.floor(values.length * 0.9))
}

function welch(left: readonly number[], right: readonly number[]): number {
  const [a, b] = [moments(left), moments(right)]
  return (a.mean - b.mean) / Math.sqrt(a.variance / left.length + b.variance / right.length)
}

function moments(values: readonly number[]): { readonly mean: number; readonly variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
  return { mean, variance }
}
