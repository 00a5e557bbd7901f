import { join } from 'node:path'
import ts from 'typescript'
import { WORKSPACE } from '../../scripts/run.ts'
import type { CodeBlock } from './code-blocks.ts'

/**
 * Type-checks every block as a module of its own, all in one program, against the sources of our packages.
 *
 * @param folders  where the packages that a block imports are looked up, from the root of the workspace
 * @returns what is wrong with each block, as `file:line: message`; nothing for a block that compiles
 */
export function compileBlocks(
  blocks: readonly CodeBlock[],
  folders: readonly string[],
): ReadonlyMap<CodeBlock, readonly string[]> {
  const modules = new Map(blocks.map((block, index) => [join(WORKSPACE, `code-block-${index}.ts`), block]))
  const files = [...modules.keys(), join(WORKSPACE, 'examples/cloudflare-workers.d.ts')]
  const program = ts.createProgram(files, compilerOptions(), hostOf(modules, folders))
  return new Map([...modules].map(([path, block]) => [block, problemsOf(program, path, block)]))
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(WORKSPACE, 'tsconfig.base.json'), ts.sys.readFile)
  return {
    ...ts.parseJsonConfigFileContent(config, ts.sys, WORKSPACE).options,
    // What makes an example longer and teaches nothing.
    noUnusedLocals: false,
    noUnusedParameters: false,
    noPropertyAccessFromIndexSignature: false,
  }
}

function hostOf(modules: ReadonlyMap<string, CodeBlock>, folders: readonly string[]): ts.CompilerHost {
  const options = compilerOptions()
  const host = ts.createCompilerHost(options)
  const places = folders.map((folder) => join(WORKSPACE, folder, 'code-block.ts'))
  const resolve = (specifier: string, place: string, mode: ts.ResolutionMode) =>
    ts.resolveModuleName(specifier, place, options, host, undefined, undefined, mode)
  return {
    ...host,
    fileExists: (path) => modules.has(path) || host.fileExists(path),
    readFile: (path) => modules.get(path)?.code ?? host.readFile(path),
    getSourceFile: (path, languageVersion, ...rest) => {
      const code = modules.get(path)?.code
      return code === undefined
        ? host.getSourceFile(path, languageVersion, ...rest)
        : ts.createSourceFile(path, code, languageVersion)
    },
    resolveModuleNameLiterals: (literals, importer, _redirect, _options, file) =>
      literals.map((literal) => {
        const neighbour = neighbourOf(modules, importer, literal.text)
        if (neighbour !== undefined) {
          return { resolvedModule: { resolvedFileName: neighbour, extension: ts.Extension.Ts } }
        }
        const from = modules.has(importer) && !literal.text.startsWith('.') ? places : [placeOf(modules, importer)]
        // A dependency may be CommonJS, whose declarations import one another without extensions.
        const mode = ts.getModeForUsageLocation(file, literal, options)
        const found = from.map((place) => resolve(literal.text, place, mode))
        return found.find(({ resolvedModule }) => resolvedModule !== undefined) ?? { resolvedModule: undefined }
      }),
  }
}

/** Where the relative imports of a module lead from: those of a block, from the file that it shows. */
function placeOf(modules: ReadonlyMap<string, CodeBlock>, importer: string): string {
  const shown = /^\/\/ (examples\/\S+)\n/.exec(modules.get(importer)?.code ?? '')?.[1]
  return shown === undefined ? importer : join(WORKSPACE, shown)
}

/** The block of the same page that shows the file which a block imports as `./name.ts`. */
function neighbourOf(modules: ReadonlyMap<string, CodeBlock>, importer: string, specifier: string): string | undefined {
  const { file } = modules.get(importer) ?? {}
  if (file === undefined || !specifier.startsWith('./')) return undefined
  const shown = `// ${specifier.slice(2)}\n`
  return [...modules].find(([, block]) => block.file === file && block.code.startsWith(shown))?.[0]
}

function problemsOf(program: ts.Program, path: string, block: CodeBlock): string[] {
  const file = program.getSourceFile(path)
  const diagnostics = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
  return diagnostics.map(({ start = 0, messageText }) => {
    const line = block.line + (file === undefined ? 0 : ts.getLineAndCharacterOfPosition(file, start).line)
    return `${block.file}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
}
