import { ShapeError } from '@notewire/protocol'

/**
 * Reads each item of a list of the wire.
 *
 * @param name  what the list is called on the wire; it leads the path of an item that cannot be read
 * @param parse  reads one item, called `what` in its error, or throws a `ShapeError`
 * @throws `ShapeError` with the path from the list on: `notes[3].revision`
 */
export function parseList<Item>(
  name: string,
  items: readonly unknown[],
  parse: (item: unknown, what: string) => Item,
): readonly Item[] {
  return items.map((item, index) => {
    const position = `${name}[${index}]`
    try {
      return parse(item, position)
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error
      throw new ShapeError(error.path === '' ? position : `${position}.${error.path}`, error.message)
    }
  })
}
