import { NotesClient } from '@notewire/client'
import type { Context } from './context.ts'

/** A client of the notes service that the settings name. */
export async function openClient({ settings }: Pick<Context, 'settings'>): Promise<NotesClient> {
  const baseUrl = await settings.require('baseUrl')
  const apiKey = await settings.requireSecret('apiKey')
  return new NotesClient({ baseUrl, apiKey, notesField: await settings.find('notesField') })
}
