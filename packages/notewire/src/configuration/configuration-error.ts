import { NotewireError } from '@notewire/protocol'

/**
 * Why a setting cannot be used.
 *
 * - `setting_missing`: none of its places has it
 * - `setting_invalid`: a place has a value that is not valid
 * - `configuration_unreadable`: the configuration file or `.env` cannot be read or parsed
 * - `secret_unreadable`: the file for a secret cannot be read, or does not contain one
 * - `secret_exposed`: the configuration file contains a secret
 */
export type ConfigurationErrorCode =
  | 'setting_missing'
  | 'setting_invalid'
  | 'configuration_unreadable'
  | 'secret_unreadable'
  | 'secret_exposed'

/** A setting is missing or wrong. The message names the place, and never quotes a secret. Ends the program with 3. */
export class ConfigurationError extends NotewireError<ConfigurationErrorCode> {}
