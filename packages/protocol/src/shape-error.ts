import { NotewireError } from './notewire-error.ts'

/** What came over the wire does not have the shape that the contract requires. */
export class ShapeError extends NotewireError<'shape_invalid'> {
  /** Where the first problem is: `data.note_id`, `notes[3].revision`. Empty when it is the whole. */
  readonly path: string

  constructor(path: string, message: string) {
    super('shape_invalid', message)
    this.path = path
  }
}
