import { createHash } from 'node:crypto'

/** A Lua script, which Redis knows by its hash once it has run. */
export interface Script {
  readonly source: string
  readonly sha1: string
}

export function script(source: string): Script {
  return { source, sha1: createHash('sha1').update(source).digest('hex') }
}
