import type { PlainSettingName, SecretName, SettingValue } from './setting-table.ts'

/** The settings of one run. Nothing is read before it is asked for. */
export interface Settings {
  /**
   * A setting, of the first place that has it: flag, environment, configuration file.
   *
   * @returns `undefined` when it is in none
   * @throws `ConfigurationError` naming the place whose value cannot be
   */
  find<Name extends PlainSettingName>(name: Name): Promise<SettingValue<Name> | undefined>
  /** A setting that must be there: otherwise the error says the three ways to give it. */
  require<Name extends PlainSettingName>(name: Name): Promise<SettingValue<Name>>
  /**
   * A secret: from the file that a flag names, the environment, the file that the environment or the configuration names, or a prompt
   * where somebody can be asked. Print it only where that was asked for.
   */
  requireSecret(name: SecretName): Promise<string>
  /** Like {@link Settings.requireSecret}, without a prompt: `undefined` when it is nowhere. */
  findSecret(name: SecretName): Promise<string | undefined>
  /** Another secret, from a file that a flag of the command's own names: `--other-secret-file`. */
  secretOfFile(path: string, flag: string): Promise<string>
}
