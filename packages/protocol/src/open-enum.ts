/**
 * A value that the service may extend: the known values complete in an editor, and any other string is still valid,
 * because the contract does not list them all (§2, §6).
 */
export type OpenEnum<Known extends string> = Known | (string & {})
