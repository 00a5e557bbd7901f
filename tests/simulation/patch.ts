/** A change to one file below `packages/`. */
export interface Patch {
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
}

/** Makes patches of one file. */
export function patchOf(file: string): (find: string, replace: string) => Patch {
  return (find, replace) => ({ file, find, replace })
}

/** @throws an error when the text that the patch replaces is not there exactly once */
export function applyPatch({ file, find, replace }: Patch, source: string): string {
  const [before, after, ...others] = source.split(find)
  if (before !== undefined && after !== undefined && others.length === 0) return before + replace + after
  throw new Error(`A planted bug does not fit ${file} any more, which must contain this text exactly once:\n${find}`)
}
