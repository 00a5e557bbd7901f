import { NotewireError } from './notewire-error.ts'

/** A value of the service does not match the contract. */
export class ShapeError extends NotewireError<'shape_invalid'> {
  /** Where the first problem is: `data.note_id`, `notes[3].revision`. Empty if it is the whole value. */
  readonly path: string

  constructor(path: string, message: string) {
    super('shape_invalid', message)
    this.path = path
  }
}
