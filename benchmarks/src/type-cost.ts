import { join } from 'node:path'
import ts from 'typescript'
import { WORKSPACE } from '../../scripts/run.ts'
import type { Entry } from './published-entries.ts'

/** The counts of `tsc --extendedDiagnostics` for a module with one import, minus those for an empty module. */
export interface TypeCost {
  readonly instantiations: number
  readonly types: number
  readonly checkMs: number
}

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: ['node'],
  strict: true,
  // Without this option, TypeScript would not check the declarations of an unused import.
  skipLibCheck: false,
  skipDefaultLibCheck: true,
  noEmit: true,
}

/**
 * Checks a module that imports the built entry.
 *
 * @throws an error if the name cannot be resolved
 */
export function typeCostOf({ name, folder }: Entry): TypeCost {
  const path = join(folder, 'one-line.ts')
  const program = programOf(path, `import '${name}'\n`)
  const line = program.getSourceFile(path)
  const [problem] = program.getSemanticDiagnostics(line)
  if (problem !== undefined) {
    throw new Error(`${name}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')} Has it been built?`)
  }
  // The declarations that every module has are checked first, so that the rest is the cost of the import.
  for (const file of program.getSourceFiles()) if (everyModuleHas(file)) program.getSemanticDiagnostics(file)
  const before = { instantiations: program.getInstantiationCount(), types: program.getTypeCount() }
  const began = performance.now()
  for (const file of program.getSourceFiles()) if (!everyModuleHas(file)) program.getSemanticDiagnostics(file)
  return {
    checkMs: performance.now() - began,
    instantiations: program.getInstantiationCount() - before.instantiations,
    types: program.getTypeCount() - before.types,
  }
}

let namesOfEmpty: ReadonlySet<string> | undefined

/** The libraries of TypeScript and the types of Node.js. */
function everyModuleHas({ fileName }: ts.SourceFile): boolean {
  namesOfEmpty ??= new Set(
    programOf(join(WORKSPACE, 'empty.ts'), 'export {}\n')
      .getSourceFiles()
      .map((file) => file.fileName),
  )
  return namesOfEmpty.has(fileName)
}

const parsed = new Map<string, ts.SourceFile | undefined>()

/** The program of a module in memory. Files that programs share are parsed once. */
function programOf(path: string, text: string): ts.Program {
  const host = ts.createCompilerHost(OPTIONS)
  const { fileExists, getSourceFile } = host
  host.getCurrentDirectory = () => WORKSPACE
  host.fileExists = (name) => name === path || fileExists(name)
  host.getSourceFile = (name, language) => {
    if (name === path) return ts.createSourceFile(name, text, language)
    const file = parsed.has(name) ? parsed.get(name) : getSourceFile(name, language)
    parsed.set(name, file)
    return file
  }
  return ts.createProgram([path], OPTIONS, host)
}
