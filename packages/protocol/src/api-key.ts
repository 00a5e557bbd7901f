/** `<prefix>_live_{key_id}.{secret}` (contract §2). The contract does not limit the characters, so any visible one is accepted. */
const API_KEY_FORM = /^[\x21-\x7e]+?_live_(?<keyId>[\x21-\x2d\x2f-\x7e]+)\.[\x21-\x7e]+$/

/**
 * Returns the `key_id` of an API key (contract §2): the text between the first `_live_` and the next dot. It may be shown. The text after
 * the dot is secret.
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
