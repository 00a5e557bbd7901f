import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const ROOT = join(import.meta.dirname, '../..')

/** An option whose docstring names a value as its default. */
export interface DocumentedDefault {
  /** `packages/client/src/options/call-options.ts` */
  readonly file: string
  readonly option: string
  readonly value: unknown
}

/** Every `@default` that begins with a literal, in the sources of the packages. Others are words, such as "the global `fetch`". */
export function documentedDefaults(): readonly DocumentedDefault[] {
  return SOURCES.flatMap((file) => {
    const found: DocumentedDefault[] = []
    visitAll(file, (node) => {
      if (!ts.isPropertySignature(node)) return
      for (const tag of ts.getJSDocTags(node)) {
        if (tag.tagName.text !== 'default') continue
        const literal = LITERAL.exec(ts.getTextOfJSDocComment(tag.comment) ?? '')?.[1]
        if (literal !== undefined) found.push({ file, option: node.name.getText(), value: valueOfText(literal) })
      }
    })
    return found
  })
}

/** The literals that the code uses if an option is not given: `{ option = 1 }`, `options.option ?? 1`. */
export function defaultsInCode(file: string, option: string): readonly unknown[] {
  const inFile = literalsFor(file, option)
  if (inFile.length > 0) return inFile
  const [, packageName] = file.split('/')
  return SOURCES.filter((each) => each.split('/')[1] === packageName).flatMap((each) => literalsFor(each, option))
}

const SOURCES = globSync('packages/*/src/**/*.ts', { cwd: ROOT })
  .filter((file) => !/\.test(?:-d)?\.ts$/.test(file))
  .sort()

const LITERAL = /^(-?[\d_]+|true|false|null|'[^']*'|\[[^\]]*\])(?=$|[\s;:])/

const trees = new Map<string, ts.SourceFile>()

function treeOf(file: string): ts.SourceFile {
  const text = () => readFileSync(join(ROOT, file), 'utf8')
  const tree = trees.get(file) ?? ts.createSourceFile(file, text(), ts.ScriptTarget.Latest, true)
  trees.set(file, tree)
  return tree
}

function visitAll(file: string, visit: (node: ts.Node) => void): void {
  const each = (node: ts.Node): void => {
    visit(node)
    node.forEachChild(each)
  }
  each(treeOf(file))
}

function literalsFor(file: string, option: string): readonly unknown[] {
  const found: unknown[] = []
  visitAll(file, (node) => {
    const initializer = defaultOf(node, option)
    const text = initializer && (constantIn(file, initializer.getText()) ?? initializer.getText())
    const literal = LITERAL.exec(text ?? '')?.[1]
    if (literal !== undefined) found.push(valueOfText(literal))
  })
  return found
}

function defaultOf(node: ts.Node, option: string): ts.Expression | undefined {
  if (ts.isBindingElement(node) || ts.isParameter(node)) {
    const name = ts.isBindingElement(node) ? (node.propertyName ?? node.name) : node.name
    return name.getText() === option ? node.initializer : undefined
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.QuestionQuestionToken) return undefined
  const given = ts.isPropertyAccessExpression(node.left) ? node.left.name : node.left
  return given.getText() === option ? node.right : undefined
}

/** The initializer of a constant of the file. */
function constantIn(file: string, name: string): string | undefined {
  const declarations = treeOf(file).statements.filter(ts.isVariableStatement)
  const constants = declarations.flatMap(({ declarationList }) => [...declarationList.declarations])
  return constants.find((constant) => constant.name.getText() === name)?.initializer?.getText()
}

function valueOfText(literal: string): unknown {
  const json = /^-?[\d_]+$/.test(literal) ? literal.replaceAll('_', '') : literal.replaceAll("'", '"')
  return JSON.parse(json)
}
