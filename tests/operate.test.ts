import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientTelemetry } from '@notewire/client/opentelemetry'
import { mirrorTelemetry, observeMirror, observeMirrors } from '@notewire/mirror/opentelemetry'
import { receiverTelemetry } from '@notewire/webhooks/opentelemetry'
import { createNoopMeter, type Meter, type MetricOptions, metrics } from '@opentelemetry/api'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { WORKSPACE } from '../scripts/run.ts'

const docs = (path: string) => readFileSync(join(WORKSPACE, 'docs', path), 'utf8')
const page = docs('operate/opentelemetry.md')
const runbook = docs('operate.md')

interface Instrument {
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly unit: string | undefined
}

const instruments = instrumentsOfTheEntries()
const series = instruments.flatMap(seriesOf)

/** A row of the table of metrics. */
const rows = [...page.matchAll(/^\| `(notewire\.[\w.]+)` \| `(\w+)` \| (.*?) \|/gm)].map((row) => {
  const [, name = '', inPrometheus = '', attributes = ''] = row
  return {
    name,
    inPrometheus,
    labels: [...attributes.matchAll(/`([a-z_]+(?:\.[a-z_]+)+)`/g)].map(([, label = '']) => dotless(label)),
  }
})

describe('the table of metrics', () => {
  it('lists every instrument, and no other', () => {
    expect(instruments.length).toBeGreaterThan(15)
    expect(rows.map(({ name }) => name).sort()).toEqual(instruments.map(({ name }) => name).sort())
  })

  it.each(instruments)('lists the Prometheus name of $name', (instrument) => {
    expect(rows.find(({ name }) => name === instrument.name)?.inPrometheus).toBe(nameInPrometheus(instrument))
  })
})

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string; readonly incident: string }
  readonly annotations: { readonly summary: string }
}

interface Panel {
  readonly title: string
  readonly description?: string
  readonly targets?: readonly { readonly expr: string }[]
}

const rules: readonly Rule[] = parse(docs('operate/alerts.yaml')).groups.flatMap(
  ({ rules }: { rules: Rule[] }) => rules,
)
const panels: readonly Panel[] = JSON.parse(docs('operate/dashboard.json')).panels
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
]

describe('the dashboard and the alert rules', () => {
  it('have unique names', () => {
    for (const names of [rules.map(({ alert }) => alert), panels.map(({ title }) => title)]) {
      expect(names.length).toBeGreaterThan(10)
      expect(new Set(names).size).toBe(names.length)
    }
  })

  it.each(expressions)('%s uses only existing series and labels: %s', (_name, expr) => {
    const metricsIn = [...expr.matchAll(/(?<!_)\bnotewire_(?:webhook|client|mirror)\w*/g)].map(([name]) => name)
    expect(metricsIn.length).toBeGreaterThan(0)
    for (const name of metricsIn) expect(series).toContain(name)
    const known = [
      'le',
      'instance',
      ...rows
        .filter(({ inPrometheus }) => metricsIn.some((name) => name.startsWith(inPrometheus)))
        .flatMap(({ labels }) => labels),
    ]
    for (const label of labelsIn(expr)) expect(known).toContain(label)
  })

  it('show every metric', () => {
    const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n')
    for (const instrument of instruments) expect(shown).toContain(nameInPrometheus(instrument))
  })
})

describe('the incidents', () => {
  const incidents = runbook.split(/^#{2,3} /m).flatMap((text) => {
    const name = /^.+ \(`([a-z-]+)`\)\n/.exec(text)?.[1]
    return name === undefined ? [] : [{ name, text }]
  })

  it('are eight, each with what you see, what to check, what to do, and what recovers automatically', () => {
    expect(incidents).toHaveLength(8)
    for (const { text } of incidents) {
      for (const row of ['What you see', 'Check', 'Do', 'Automatic recovery']) expect(text).toContain(`| ${row} |`)
    }
  })

  it.each(rules)('include the one of the alert $alert, which names it', ({ alert, labels }) => {
    expect(incidents.find(({ name }) => name === labels.incident)?.text).toContain(`\`${alert}\``)
  })

  it('name only existing alerts', () => {
    const named = incidents.flatMap(({ text }) => [...text.matchAll(/`(Notewire[A-Z]\w+)`/g)].map(([, name]) => name))
    expect(new Set(named)).toEqual(new Set(rules.map(({ alert }) => alert)))
  })
})

/** The instruments that the entries create. */
function instrumentsOfTheEntries(): readonly Instrument[] {
  const made = new Map<string, Instrument>()
  const noop = createNoopMeter()
  const recording =
    <Made>(kind: Instrument['kind'], make: (name: string, options?: MetricOptions) => Made) =>
    (name: string, options: MetricOptions = {}) => {
      made.set(name, { name, kind, unit: options.unit })
      return make.call(noop, name, options)
    }
  const meter: Meter = Object.assign(Object.create(noop), {
    createCounter: recording('counter', noop.createCounter),
    createGauge: recording('gauge', noop.createGauge),
    createObservableGauge: recording('gauge', noop.createObservableGauge),
    createHistogram: recording('histogram', noop.createHistogram),
  })
  metrics.setGlobalMeterProvider({ getMeter: () => meter })
  receiverTelemetry()
  clientTelemetry()
  mirrorTelemetry()
  observeMirrors({ status: () => Promise.reject(new Error('no export calls this')) })
  observeMirror({ status: () => Promise.reject(new Error('no export calls this')) })
  metrics.disable()
  return [...made.values()]
}

/** The Prometheus name of a metric received by OTLP. It includes the unit only for seconds: all other units here are annotations in braces. */
function nameInPrometheus({ name, kind, unit }: Instrument): string {
  return `${dotless(name)}${unit === 's' ? '_seconds' : ''}${kind === 'counter' ? '_total' : ''}`
}

function seriesOf(instrument: Instrument): readonly string[] {
  const name = nameInPrometheus(instrument)
  return instrument.kind === 'histogram' ? ['_bucket', '_count', '_sum'].map((part) => `${name}${part}`) : [name]
}

/** The labels in the selectors and groupings of an expression. */
function labelsIn(expr: string): readonly string[] {
  const selected = [...expr.matchAll(/[{,]\s*(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label)
  const grouped = [...expr.matchAll(/by \(([^)]+)\)/g)].flatMap(([, labels = '']) => labels.split(/,\s*/))
  return [...selected, ...grouped]
}

function dotless(name: string): string {
  return name.replaceAll('.', '_')
}
