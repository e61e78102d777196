/** The file of the access log: appended to, opened again when it was moved, renamed at its size, and silent on a disk with little space. */
import { accessSync, constants, lstatSync } from "node:fs"
import { type FileHandle, lstat, open, rename, statfs } from "node:fs/promises"
import { dirname } from "node:path"
import { withFolderLock } from "../../base/folder-lock.ts"

/** CHOICE: the group may read the file, so that a program that collects logs can run as another user of that group. */
const MODE = 0o640
const LOCK_MS = 1000
/** Never through a link, and never waiting for the reader of a pipe. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

const NOT_A_FILE = "is not a regular file"

/** The file takes no line now. `message` has no path: a sentence without its subject. */
export class AccessFileError extends Error {}

interface AccessFileLimits {
  /** At this size the file gets the name of `earlierPath`, and a new one begins. */
  readonly bytesMax: number
  /** Below so much free space on its disk nothing is written. */
  readonly freeBytesMin: number
}

/** The file before this one. */
export const earlierPath = (path: string) => `${path}.1`

/** Returns why the file can never be written, or null: a sentence without its subject. Makes no file. */
export function accessFileFault(path: string): string | null {
  const folder = dirname(path)
  try {
    // A new file is made there at its size.
    accessSync(folder, constants.W_OK | constants.X_OK)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) return null
    if (!found.isFile()) return NOT_A_FILE
    accessSync(path, constants.W_OK)
    return null
  } catch (error) {
    if (error instanceof Error && "code" in error) return `cannot be written in ${folder}: ${error.code}`
    throw error
  }
}

export class AccessFile {
  #file: FileHandle | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    readonly path: string,
    private readonly limits: AccessFileLimits,
  ) {}

  /** Appends whole lines after all earlier ones. Rejects with {@link AccessFileError} or a fault of the system; a later call tries again. */
  append(lines: string): Promise<void> {
    const written = this.#last.then(() => this.#write(lines))
    this.#last = written.catch(() => {})
    return written
  }

  async close(): Promise<void> {
    await this.#last
    await this.#file?.close()
    this.#file = null
  }

  async #write(lines: string): Promise<void> {
    const { bavail, bsize } = await statfs(dirname(this.path))
    if (bavail * bsize < this.limits.freeBytesMin) throw new AccessFileError("is on a disk with little space left")
    const file = await this.#current()
    await file.appendFile(lines)
  }

  /** Two processes that write one file must not rename twice. */
  async #rename(ino: number): Promise<void> {
    const renamed = await withFolderLock(dirname(this.path), LOCK_MS, async () => {
      const there = await lstat(this.path).catch(nullIfMissing)
      if (there?.ino === ino) await rename(this.path, earlierPath(this.path))
    })
    if (renamed === null)
      throw new AccessFileError("cannot be renamed, because another program has a lock on its folder")
  }

  /** The open file, unless somebody moved it or it is full. */
  async #current(): Promise<FileHandle> {
    const file = this.#file
    if (file !== null) {
      const [own, there] = await Promise.all([file.stat(), lstat(this.path).catch(nullIfMissing)])
      const isThere = there !== null && there.ino === own.ino && there.dev === own.dev
      if (isThere && own.size < this.limits.bytesMax) return file
      if (isThere) await this.#rename(own.ino)
      this.#file = null
      await file.close()
    }
    this.#file = await opened(this.path)
    return this.#file
  }
}

async function opened(path: string): Promise<FileHandle> {
  const isNew = (await lstat(path).catch(nullIfMissing)) === null
  const file = await open(path, APPEND, MODE)
  try {
    if (!(await file.stat()).isFile()) throw new AccessFileError(NOT_A_FILE)
    if (isNew) await file.chmod(MODE)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null
  throw error
}
