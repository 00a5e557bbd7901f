import { NotewireError } from '@notewire/protocol'

/**
 * Why a setting cannot be used.
 *
 * - `setting_missing`: it is in none of its places
 * - `setting_invalid`: a place holds what cannot be
 * - `configuration_unreadable`: the configuration file cannot be read, or is no configuration
 * - `secret_unreadable`: the file that is to hold a secret cannot be read, or does not hold one
 * - `secret_exposed`: a secret stands in the configuration file
 */
export type ConfigurationErrorCode =
  | 'setting_missing'
  | 'setting_invalid'
  | 'configuration_unreadable'
  | 'secret_unreadable'
  | 'secret_exposed'

/** A setting is missing or wrong. The message names the place, and never quotes a secret. Ends the program with 3. */
export class ConfigurationError extends NotewireError<ConfigurationErrorCode> {
  /** The setting, as the configuration file names it, or the environment variable of a secret. Empty for the whole file. */
  readonly setting: string
  /** Where the value came from: `NOTES_BASE_URL`, `"baseUrl" in notewire.config.json`. Empty when it is nowhere. */
  readonly source: string

  constructor(code: ConfigurationErrorCode, setting: string, source: string, message: string) {
    super(code, message)
    this.setting = setting
    this.source = source
  }
}
