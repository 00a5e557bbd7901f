import { NotewireError } from '@notewire/protocol'

/** The clock was asked for what only a virtual clock can do. */
export class ClockError extends NotewireError<'clock_not_virtual'> {
  constructor() {
    super(
      'clock_not_virtual',
      "the service's clock follows the machine, which nobody can advance. Make the service with clock: 'virtual'; listen() then keeps it so.",
    )
  }
}
