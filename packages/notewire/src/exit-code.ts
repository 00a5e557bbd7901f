/** How the program ends, for scripts. `notewire --help` and the README list them. */
export const EXIT_CODES = {
  /** It did what it was asked to. What runs until Ctrl-C (`mock`, `listen`, `watch`) ends so, too. */
  done: 0,
  /** What was examined is not right, or what was asked for could not be done. */
  failed: 1,
  /** The command was typed wrong. */
  misused: 2,
  /** A setting is missing or wrong: in the environment, in the configuration file, or in a file that it names. */
  misconfigured: 3,
  /** The service refused the API key, or it lacks a scope (401, 403). */
  refused: 4,
  /** The service, or the receiver, could not be reached or did not answer in time. */
  unreachable: 5,
  /** Ctrl-C or SIGTERM, before it was done. */
  interrupted: 130,
} as const

/** A number that the program ends with. */
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]
