/** SQLite as it comes with Node.js, without the warning of Node.js 22 that it is new, which would stand amid what is printed. */
export function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}
