import { userInfo } from 'node:os'

/**
 * Whom a server runs as that refuses to run as root: nobody, if this process is root's. Nobody may not enter every
 * folder that root may.
 */
export const serverUser = userInfo().uid === 0 ? { uid: 65_534, gid: 65_534 } : undefined
