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
