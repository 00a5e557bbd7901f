import { userInfo } from 'node:os'

/**
 * The user for a server that refuses to run as root: `nobody` if this process runs as root. `nobody` has no access to some
 * folders of root.
 */
export const serverUser = userInfo().uid === 0 ? { uid: 65_534, gid: 65_534 } : undefined
