import { globSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { WORKSPACE } from '../scripts/run.ts'

/** A stable code of an error, and the packages whose errors have it. */
export type ErrorCodes = ReadonlyMap<string, ReadonlySet<string>>

/** Every code of our errors, found by the compiler: of each error class, and of each `new NotewireError`. */
export function errorCodes(): ErrorCodes {
  const sources = globSync('packages/*/src/**/*.ts', { cwd: WORKSPACE, exclude: isTest }).map((file) =>
    join(WORKSPACE, file),
  )
  const program = ts.createProgram(sources, compilerOptions())
  const checker = program.getTypeChecker()
  const codes = new Map<string, Set<string>>()
  for (const path of sources) {
    const visit = (node: ts.Node): void => {
      for (const code of codesMadeBy(node, checker))
        codes.set(code, (codes.get(code) ?? new Set()).add(packageOf(path)))
      ts.forEachChild(node, visit)
    }
    const file = program.getSourceFile(path)
    if (file !== undefined) visit(file)
  }
  return codes
}

function codesMadeBy(node: ts.Node, checker: ts.TypeChecker): string[] {
  if (!(ts.isClassDeclaration(node) || ts.isNewExpression(node))) return []
  const type = checker.getTypeAtLocation(node)
  if (!isNotewireError(type)) return []
  const code = type.getProperty('code')
  const codeType = code && checker.getTypeOfSymbol(code)
  const alternatives = codeType?.isUnion() ? codeType.types : [codeType]
  return alternatives.flatMap((alternative) => (alternative?.isStringLiteral() ? [alternative.value] : []))
}

function isNotewireError(type: ts.Type): boolean {
  return type.symbol?.name === 'NotewireError' || (type.getBaseTypes() ?? []).some(isNotewireError)
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(WORKSPACE, 'tsconfig.base.json'), ts.sys.readFile)
  return ts.parseJsonConfigFileContent(config, ts.sys, WORKSPACE).options
}

function packageOf(path: string): string {
  return path.slice(join(WORKSPACE, 'packages/').length).replace(/\/.*/s, '')
}

function isTest(path: string): boolean {
  return /\.test(-d)?\.ts$|\/fixtures\//.test(path)
}
