import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const ROOT = join(import.meta.dirname, '../..')

/** A regular expression in a source file: a literal, or one that is made at run time. */
export interface SourceExpression {
  /** `packages/client/src/options/base-url.ts` */
  readonly file: string
  /** The literal; `undefined` for `new RegExp(…)`. */
  readonly literal: RegExp | undefined
}

/** Every regular expression in the sources of the packages, without tests. */
export function expressionsInSources(): readonly SourceExpression[] {
  const files = globSync('packages/*/src/**/*.ts', { cwd: ROOT })
  return files.filter((file) => !/\.test(?:-d)?\.ts$/.test(file)).flatMap(expressionsIn)
}

function expressionsIn(file: string): readonly SourceExpression[] {
  const found: SourceExpression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push({ file, literal: expressionOf(node.text) })
    else if (isMadeAtRunTime(node)) found.push({ file, literal: undefined })
    node.forEachChild(visit)
  }
  visit(ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest))
  return found
}

function isMadeAtRunTime(node: ts.Node): boolean {
  const isCall = ts.isNewExpression(node) || ts.isCallExpression(node)
  return isCall && ts.isIdentifier(node.expression) && node.expression.text === 'RegExp'
}

function expressionOf(literal: string): RegExp {
  const end = literal.lastIndexOf('/')
  return new RegExp(literal.slice(1, end), literal.slice(end + 1))
}
