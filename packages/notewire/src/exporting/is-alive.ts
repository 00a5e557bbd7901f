import { isSystemError } from '../system-reason.ts'

/** Tells whether there is a process of this number on this machine. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It is somebody else's, and alive.
    return isSystemError(error) && error.code === 'EPERM'
  }
}
