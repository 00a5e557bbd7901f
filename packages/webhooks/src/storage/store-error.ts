import { NotewireError } from '@notewire/protocol'

/** A store cannot work. The receiver logs the message, which contains no secret, no row and no note content. */
export class StoreError<Code extends string = string> extends NotewireError<Code> {}
