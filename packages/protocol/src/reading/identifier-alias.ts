import { isRecord } from './check.ts'

/** Some services call a resource's identifier `id`. We expose one name: the contract's (open points 2 and 13). */
export function adoptId(name: string, resource: unknown): unknown {
  return isRecord(resource) && !(name in resource) && 'id' in resource
    ? { ...resource, [name]: resource['id'] }
    : resource
}
