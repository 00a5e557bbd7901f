import { NotewireError } from '@notewire/protocol'

/**
 * Why nothing is exported to a place.
 *
 * - `export_in_the_way`: a file stands there that export did not write
 * - `export_busy`: another export writes there
 * - `export_manifest_malformed`: what export remembers of the folder cannot be read
 */
export type ExportErrorCode = 'export_in_the_way' | 'export_busy' | 'export_manifest_malformed'

/** Nothing can be exported to this place. The message names the file and the next step. */
export class ExportError extends NotewireError<ExportErrorCode> {}
