import { userInfo } from 'node:os'

/**
 * The user of servers that refuse to run as root, if this process runs as root: 65534, the unprivileged user of Linux.
 * This user cannot read folders of root with mode 700.
 */
export const serverUser = userInfo().uid === 0 ? { uid: 65_534, gid: 65_534 } : undefined
