/**
 * Errors that the operating system returns for a file: a wrong user, a missing path, a full disk. They are states of the machine and not
 * bugs, in every command. So a person gets one sentence and no stack trace.
 */
import { CommandError, EXIT } from "./exit.ts"

/** Returns the sentence, or null for any other error. */
export function systemFault(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null
  const words = WORDS[error.code]
  if (words === undefined || !("path" in error) || typeof error.path !== "string") return null
  return words(error.path, error.code)
}

/** Returns why a named file cannot be read, as a text after its name and a colon. */
export function readFault(error: unknown): string {
  const code = errnoOf(error)
  if (code === null) return error instanceof Error ? error.message : "unknown"
  return READ_FAULTS[code] ?? `it cannot be read (${code})`
}

const READ_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a directory",
  EACCES: "this user may not read it (EACCES)",
  EPERM: "this user may not read it (EPERM)",
}

/** Returns why a named new file cannot be written, as a text after its name and a colon; null for an error that does not concern a file. */
function writeFault(error: unknown): string | null {
  const code = errnoOf(error)
  return code === null ? null : (WRITE_FAULTS[code] ?? `it cannot be written (${code})`)
}

const WRITE_FAULTS: Readonly<Record<string, string>> = {
  EEXIST: "exists and is not overwritten",
  ENOENT: "its folder does not exist; make the folder first",
  ENOTDIR: "its folder is not a directory; name another place",
  EISDIR: "it is a directory; name a file",
  EACCES: "this user may not write there (EACCES); name another place",
  EPERM: "this user may not write there (EPERM); name another place",
  EROFS: "it is on a file system that is mounted read-only; name another place",
  ENOSPC: "there is no room left (ENOSPC); make room and try again",
  EDQUOT: "there is no room left (EDQUOT); make room and try again",
}

/**
 * Returns a CommandError for a file that cannot be written: exit 2 if another path helps, otherwise 7. Returns any other error unchanged.
 */
export function asWriteRefusal(path: string, error: unknown): unknown {
  const why = writeFault(error)
  if (why === null) return error
  return new CommandError(isWrongPath(error) ? EXIT.USAGE : EXIT.DATA, `${path}: ${why}`)
}

/** Returns true if another argument helps, and not another user or disk. */
function isWrongPath(error: unknown): boolean {
  return ["EEXIST", "ENOENT", "ENOTDIR", "EISDIR", "ENAMETOOLONG"].includes(errnoOf(error) ?? "")
}

/** Returns true if the file exists and this user may not use it. */
export function isDenied(error: unknown): boolean {
  return ["EACCES", "EPERM"].includes(errnoOf(error) ?? "")
}

/** Returns the code of an operating system error, such as ENOENT; null for any other error. */
export function errnoOf(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null
  return /^E[A-Z0-9]+$/.test(error.code) ? error.code : null
}

const notThisUsers = (path: string, code: string) =>
  `${path} cannot be read and written by this user (${code}); run bizauth as the owner of the file, or give it to this user`
const readOnly = (path: string) => `${path} is on a file system that is mounted read-only; mount it for writing`
const noRoom = (path: string, code: string) =>
  `${path} cannot be written: there is no room left (${code}); make room and try again`
const tooMany = (path: string, code: string) =>
  `${path} cannot be opened: too many files are open (${code}); raise the limit`
const other = (path: string, code: string) => `${path} is not the kind of file that belongs there (${code})`
const broken = (path: string, code: string) => `${path} cannot be read or written (${code})`

const WORDS: Readonly<Record<string, (path: string, code: string) => string>> = {
  EACCES: notThisUsers,
  EPERM: notThisUsers,
  EROFS: readOnly,
  ENOENT: (path) => `${path} does not exist`,
  ENOTDIR: other,
  EISDIR: other,
  EEXIST: other,
  ENOTEMPTY: other,
  ELOOP: other,
  ENOSPC: noRoom,
  EDQUOT: noRoom,
  EFBIG: noRoom,
  EMFILE: tooMany,
  ENFILE: tooMany,
  EIO: broken,
  ENAMETOOLONG: broken,
  EBUSY: broken,
  ESTALE: broken,
}
