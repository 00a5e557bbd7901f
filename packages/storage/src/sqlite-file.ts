import { NotewireError, OptionError } from '@notewire/protocol'

/** Files that SQLite itself opens in the folder of a database. */
const SIDE_FILES = ['-wal', '-shm', '-journal']

/**
 * Checks the file of a database before SQLite opens it, and returns the location to open.
 *
 * SQLite blocks the thread for ever on a named pipe. A database in WAL mode needs a second file in its folder, which SQLite creates even to
 * read: in a folder that cannot be written, both must exist already. On a read-only file system no process can write, so that the database is opened as
 * immutable.
 *
 * @param path  a path, a `file:` URI, or `:memory:`. The file may be missing.
 * @throws OptionError, SqliteNotAFileError, SqliteFolderReadOnlyError
 */
export function sqliteLocation(path: string): string {
  if (typeof path !== 'string') throw new OptionError('path', 'path is not a text. Pass the path of the database file.')
  refuseUrl(path)
  const file = fileOf(path)
  if (file === undefined) return path
  const { realpathSync, statSync } = nodeFs()
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return path
  if (!found.isFile()) throw new SqliteNotAFileError(file, kindOf(found))
  const real = realpathSync(file)
  for (const suffix of SIDE_FILES) {
    const side = statSync(`${real}${suffix}`, { throwIfNoEntry: false })
    if (side !== undefined && !side.isFile()) throw new SqliteNotAFileError(`${real}${suffix}`, kindOf(side))
  }
  // A URI says itself how to open the file.
  return path.startsWith('file:') ? path : readableLocation(path, real)
}

/**
 * Refuses the URL of a database as a path. It may contain a password, which the errors of the file system would show as the name of a folder.
 *
 * @throws OptionError, without the URL
 */
export function refuseUrl(path: string): void {
  const [, scheme] = /^([a-z][a-z0-9+.-]{0,20}):\/\//i.exec(path) ?? []
  if (scheme === undefined || scheme.toLowerCase() === 'file') return
  throw new OptionError(
    'path',
    `path is a URL that begins with ${scheme}://, not the path of a file. Pass a path, such as 'events.db', or use the store of that database.`,
  )
}

/** The file that SQLite opens for a path; `undefined` for a database in memory. */
export function fileOf(path: string, platform: string = process.platform): string | undefined {
  if (path === ':memory:' || path === '') return undefined
  if (!path.startsWith('file:')) return path
  const [, name = '', query = ''] = /^file:(?:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/.exec(path) ?? []
  const decoded = decodedName(name)
  // In Windows, the path of `file:///C:/events.db` is `C:/events.db`.
  const file = platform === 'win32' ? decoded.replace(/^\/(?=[a-z]:)/i, '') : decoded
  return file === ':memory:' || file === '' || new URLSearchParams(query).get('mode') === 'memory' ? undefined : file
}

/** SQLite keeps a percent sign that begins no code. */
function decodedName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function readableLocation(path: string, real: string): string {
  const { dirname } = process.getBuiltinModule('node:path')
  const refusal = refusedWrite(dirname(real))
  if (refusal === undefined || !isInWalMode(real)) return path
  const sizeOf = (file: string) => nodeFs().statSync(file, { throwIfNoEntry: false })?.size
  const [logged, shared] = [sizeOf(`${real}-wal`), sizeOf(`${real}-shm`)]
  if (logged !== undefined && shared !== undefined) return path
  // Without its log, the database would lack the latest changes.
  if ((logged ?? 0) === 0 && refusal === 'EROFS' && isOnReadOnlyFileSystem(real)) {
    return `${process.getBuiltinModule('node:url').pathToFileURL(real).href}?immutable=1`
  }
  throw new SqliteFolderReadOnlyError(real, dirname(real))
}

/** The code of the error with which the system refuses to write into a folder; `undefined` if it can be written. */
function refusedWrite(folder: string): string | undefined {
  const { accessSync, constants } = nodeFs()
  try {
    accessSync(folder, constants.W_OK)
    return undefined
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : ''
  }
}

/** The header of a database (https://sqlite.org/fileformat.html) says with which version it is read: 2 is WAL mode. */
const READ_VERSION_AT = 19
const WAL_VERSION = 2

function isInWalMode(file: string): boolean {
  const { closeSync, openSync, readSync } = nodeFs()
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, 'r')
    const header = new Uint8Array(READ_VERSION_AT + 1)
    return readSync(descriptor, header, 0, header.length, 0) === header.length && header.at(-1) === WAL_VERSION
  } catch {
    // SQLite explains why it cannot read the file.
    return false
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** File systems of a disk, an image or memory. Others, such as nfs, cifs, 9p and fuse, can show files that another machine or process writes. */
const OWN_FILE_SYSTEMS: ReadonlySet<string> = new Set(
  'ext2 ext3 ext4 xfs btrfs f2fs zfs tmpfs ramfs squashfs erofs overlay iso9660 udf vfat exfat ntfs3 hfsplus'.split(
    ' ',
  ),
)

/**
 * Whether a whole file system is read-only, after it refused to write. In Linux, a file system can be mounted in several places, and be
 * read-only in one of them: a process that writes in another place would change the database.
 */
function isOnReadOnlyFileSystem(file: string): boolean {
  let mounts: string
  try {
    mounts = nodeFs().readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return process.platform !== 'linux'
  }
  let longest = ''
  let isReadOnly = false
  for (const line of mounts.split('\n')) {
    const [mount = '', fileSystem = ''] = line.split(' - ')
    const place = (mount.split(' ')[4] ?? '').replace(/\\(\d{3})/g, (_, code) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    )
    const isAbove = place === '/' || file.startsWith(`${place}/`)
    // A later mount in the same place covers the earlier one.
    if (place === '' || !isAbove || place.length < longest.length) continue
    longest = place
    const [type = '', , options = ''] = fileSystem.split(' ')
    isReadOnly = OWN_FILE_SYSTEMS.has(type) && options.split(',').includes('ro')
  }
  return isReadOnly
}

function kindOf(found: Record<'isDirectory' | 'isFIFO' | 'isSocket', () => boolean>): string {
  if (found.isDirectory()) return 'folder'
  if (found.isFIFO()) return 'named pipe'
  return found.isSocket() ? 'socket' : 'device'
}

function nodeFs() {
  return process.getBuiltinModule('node:fs')
}

/** The path of a database, or of one of its side files, is not a file. It was not opened, because that could block the process for ever. */
export class SqliteNotAFileError extends NotewireError<'sqlite_not_a_file'> {
  constructor(path: string, kind: string) {
    super(
      'sqlite_not_a_file',
      `${path} is a ${kind}, not a file, so it was not opened as a database. Pass the path of a file, or move the ${kind} away.`,
    )
  }
}

/** A database in WAL mode is in a folder that cannot be written, and the files that SQLite needs to read it are not in this folder. */
export class SqliteFolderReadOnlyError extends NotewireError<'sqlite_folder_readonly'> {
  constructor(path: string, folder: string) {
    super(
      'sqlite_folder_readonly',
      `${path} cannot be read: SQLite needs the files ${path}-wal and ${path}-shm, and cannot create them, because the folder ${folder} cannot be written. ` +
        'Keep the program that writes the database running, which keeps these files; or make the folder writable; or copy the database, with its -wal file if there is one, to another folder and open the copy.',
    )
  }
}
