import { NotesClient } from '@notewire/client'
import type { Surroundings } from './commands/command.ts'
import type { SettingName } from './configuration/setting-table.ts'

/** The settings that {@link openClient} reads: a command that calls it declares them. */
export const CLIENT_SETTINGS = ['baseUrl', 'apiKey'] as const satisfies readonly SettingName[]

/**
 * A client of the notes service that the settings name.
 *
 * @throws `ConfigurationError` when the base URL or the API key is missing or cannot be
 */
export async function openClient({ settings, clock }: Pick<Surroundings, 'settings' | 'clock'>): Promise<NotesClient> {
  const baseUrl = await settings.require('baseUrl')
  const apiKey = await settings.requireSecret('apiKey')
  return new NotesClient({ baseUrl, apiKey, clock, notesField: await settings.find('notesField') })
}
