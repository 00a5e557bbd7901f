/** `<prefix>_live_{key_id}.{secret}` (contract §2): the contract names no characters, so any visible one may stand in each part. */
const API_KEY_FORM = /^[\x21-\x7e]+?_live_(?<keyId>[\x21-\x2d\x2f-\x7e]+)\.[\x21-\x7e]+$/

/**
 * The part of an API key that may be shown: its `key_id` (contract §2). The part after the dot never may.
 *
 * Any prefix and any secret are accepted. The key id is what stands between the first `_live_` and the next dot.
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
