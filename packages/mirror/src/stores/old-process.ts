/** The error of a process of version 0.1.0 that lists the notes of a copy on which a later version works. */
export const OLD_PROCESS =
  'a newer version of @notewire/mirror works on this copy, and this process runs version 0.1.0. Update this process.'
