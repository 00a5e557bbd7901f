import type { Finding, ReceiverReport } from './report.ts'

/** The report as JUnit XML, for CI: a warning passes and says so, what was not tested is skipped. */
export function renderJunit({ url, started_at, duration_ms, summary, findings }: ReceiverReport): string {
  const groups = [...new Set(findings.map(({ group }) => group))]
  const counts = `tests="${findings.length}" failures="${summary.failed}" errors="0" skipped="${summary.not_tested}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="notewire doctor ${escaped(url)}" ${counts} time="${duration_ms / 1000}">`,
    ...groups.flatMap((group) =>
      suiteOf(
        group,
        findings.filter((finding) => finding.group === group),
        started_at,
      ),
    ),
    '</testsuites>',
    '',
  ].join('\n')
}

function suiteOf(group: string, findings: readonly Finding[], startedAt: string): readonly string[] {
  const count = (verdict: Finding['verdict']) => findings.filter((finding) => finding.verdict === verdict).length
  const counts = `tests="${findings.length}" failures="${count('failed')}" errors="0" skipped="${count('not-tested')}"`
  return [
    `  <testsuite name="${escaped(group)}" ${counts} timestamp="${startedAt.replace(/\.\d+Z$/, '')}">`,
    ...findings.map((finding) => `    ${caseOf(finding)}`),
    '  </testsuite>',
  ]
}

function caseOf(finding: Finding): string {
  const open = `<testcase classname="${escaped(finding.id)}" name="${escaped(`${finding.title} (${finding.section})`)}"`
  switch (finding.verdict) {
    case 'passed':
      return `${open}/>`
    case 'not-tested':
      return `${open}><skipped message="${escaped(finding.seen)}"/></testcase>`
    case 'failed':
      return `${open}><failure message="${escaped(finding.seen)}">${escaped(detailsOf(finding))}</failure></testcase>`
    case 'warned':
      return `${open}><system-out>${escaped(`warning: ${finding.seen}\n${detailsOf(finding)}`)}</system-out></testcase>`
  }
}

function detailsOf({ cause, fix, repeat }: Finding): string {
  return [cause && `Cause: ${cause}`, fix && `Fix: ${fix}`, repeat && `Repeat:\n${repeat}`].filter(Boolean).join('\n')
}

/** Text for XML: what XML 1.0 cannot hold at all is replaced. */
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
