import { NotewireError } from '@notewire/protocol'

/**
 * Why an export stopped.
 *
 * - `export_in_the_way`: a file exists that export did not write and would overwrite
 * - `export_busy`: another export writes to the folder
 * - `export_manifest_malformed`: the manifest of the folder cannot be read
 */
export type ExportErrorCode = 'export_in_the_way' | 'export_busy' | 'export_manifest_malformed'

/** The export stopped. The message names the file and the next step. */
export class ExportError extends NotewireError<ExportErrorCode> {}
