/** `<prefix>_live_{key_id}.{secret}` (contract §2). */
const API_KEY_FORM = /^[A-Za-z0-9]+_live_(?<keyId>[A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+$/

/**
 * The part of an API key that may be shown: its `key_id` (contract §2). The part after the dot never may.
 *
 * @returns `undefined` when the key is not of the contract's form
 * @example
 * ```ts
 * import { keyIdOf } from '@notewire/protocol'
 *
 * keyIdOf('ntw_live_k7.s3cret') // 'k7'
 * ```
 */
export function keyIdOf(apiKey: string): string | undefined {
  return API_KEY_FORM.exec(apiKey)?.groups?.['keyId']
}
