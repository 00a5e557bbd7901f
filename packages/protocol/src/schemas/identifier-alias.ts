/**
 * Some services name a resource's own identifier `id`. We expose one name: the contract's (open points 2 and 13).
 *
 * @returns a function that copies `id` to `name` where only `id` is there
 * @__NO_SIDE_EFFECTS__
 */
export function adoptId(name: string): (resource: unknown) => unknown {
  return (resource) => {
    if (typeof resource !== 'object' || resource === null || Array.isArray(resource)) return resource
    if (name in resource || !('id' in resource)) return resource
    return { ...resource, [name]: resource.id }
  }
}
