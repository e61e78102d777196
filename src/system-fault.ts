/**
 * Errors that the operating system gives for a file: a wrong user, a missing path, a full disk. They are states of the machine and no bugs,
 * whichever command meets them, so a person is told in one sentence and never shown where in the program it happened.
 */

/** The sentence, or null for an error that is none of these. */
export function systemFault(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null
  const words = WORDS[error.code]
  if (words === undefined || !("path" in error) || typeof error.path !== "string") return null
  return words(error.path, error.code)
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
