/** Where the program listens, unless told otherwise. */
export const DEFAULT_PORT = 4010

/** What `--help` prints. */
export const USAGE = `Plays the notes service on a port of this machine: REST API, signed webhooks, and a console to drive it.

Usage
  npx @notewire/mock-server [options]

Options
  --port <number>          where to listen; 0 is a free port                  (${DEFAULT_PORT})
  --host <address>         who can reach it: 0.0.0.0 is everybody             (127.0.0.1)
  --console-host <name>    also answer at /console under this host name, and to other machines; can be repeated
  --seed <number>          decides every identifier, word and chance          (1)
  --notes <number>         how many notes are there from the start            (0)
  --clock <virtual|real>   whose time it lives by                             (real)
  --scenario <file.json>   what the service is made with, and what happens in it
  --help                   print this
  --version                print the version

A scenario's "service" says the same as --seed, --notes and --clock; what is typed here wins.

Exit codes
  0  stopped by Ctrl-C     1  the machine refused (port taken, file unreadable)     2  wrong argument or scenario`
