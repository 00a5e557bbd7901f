import { type Finding, type ReceiverReport, summaryOf } from './report.ts'

/** The report as JUnit XML, for CI. A warning passes with a text in `system-out`; a check that was not tested is skipped. */
export function renderJunit({ url, started_at, duration_ms, findings }: ReceiverReport): string {
  const timestamp = started_at.replace(/\.\d+Z$/, '')
  const suites = [...Map.groupBy(findings, ({ group }) => group)].flatMap(([group, ofGroup]) => [
    `  <testsuite name="${escaped(group)}" ${countsOf(ofGroup)} timestamp="${timestamp}">`,
    ...ofGroup.map((finding) => `    ${caseOf(finding)}`),
    '  </testsuite>',
  ])
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="notewire doctor ${escaped(url)}" ${countsOf(findings)} time="${duration_ms / 1000}">
${suites.join('\n')}
</testsuites>
`
}

function countsOf(findings: readonly Finding[]): string {
  const { failed, not_tested } = summaryOf(findings)
  return `tests="${findings.length}" failures="${failed}" errors="0" skipped="${not_tested}"`
}

function caseOf({ id, title, section, verdict, seen, cause, fix, repeat }: Finding): string {
  const open = `<testcase classname="${escaped(id)}" name="${escaped(`${title} (${section})`)}"`
  const details = [cause && `Cause: ${cause}`, fix && `Fix: ${fix}`, repeat && `Repeat:\n${repeat}`]
  const text = escaped(details.filter(Boolean).join('\n'))
  switch (verdict) {
    case 'passed':
      return `${open}/>`
    case 'not_tested':
      return `${open}><skipped message="${escaped(seen)}"/></testcase>`
    case 'failed':
      return `${open}><failure message="${escaped(seen)}">${text}</failure></testcase>`
    case 'warned':
      return `${open}><system-out>${escaped(`warning: ${seen}\n`)}${text}</system-out></testcase>`
  }
}

/** Escapes text for XML. Replaces the characters that XML 1.0 forbids. */
function escaped(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML forbids.
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll('\n', '&#10;')
  )
}
