/** An error of SQLite with the file and its role, because SQLite's own errors name neither. */
import { sqliteCode } from "./sqlite-code.ts"

class DatabaseFault extends Error {
  constructor(
    /** What the file is for, such as `the copy of the database`. */
    readonly role: string,
    readonly file: string,
    cause: unknown,
  ) {
    super(`${role} ${file}: ${wayOut(sqliteCode(cause) ?? "")}`, { cause })
  }
}

/** Runs `work` on the database file `file`. Throws {@link DatabaseFault} for every error of SQLite, and any other error unchanged. */
export function onFile<T>(role: string, file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw faultOf(role, file, error)
  }
}

/** The same for work that ends later. */
export async function onFileLater<T>(role: string, file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw faultOf(role, file, error)
  }
}

function faultOf(role: string, file: string, error: unknown): unknown {
  return sqliteCode(error) === null ? error : new DatabaseFault(role, file, error)
}

/** The fault in a chain of causes, or null. */
export function databaseFaultOf(error: unknown): DatabaseFault | null {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof DatabaseFault) return at
  return null
}

function wayOut(code: string): string {
  const found = WAYS_OUT.find(({ codes }) => codes.test(code))
  return `${found?.words ?? "SQLite cannot use it"} (${code})`
}

const WAYS_OUT: readonly { readonly codes: RegExp; readonly words: string }[] = [
  { codes: /^SQLITE_(BUSY|LOCKED|PROTOCOL)/, words: "another process holds it; try again" },
  { codes: /^SQLITE_FULL/, words: "there is no room left; make room and try again" },
  {
    codes: /^SQLITE_CANTOPEN/,
    words: "it cannot be opened or made; look at its folder, and at what this user may do there",
  },
  { codes: /^SQLITE_READONLY/, words: "this user may not write it; run bizauth as its owner, or name another place" },
  { codes: /^SQLITE_(CORRUPT|NOTADB)/, words: "it is damaged, or another kind of file" },
  { codes: /^SQLITE_IOERR/, words: "its disk does not read or write; look at the disk" },
]
