import type { DatabaseNames } from "../engine.ts"

/** Names of the database file of `path`. */
export function fileNames(path: string): DatabaseNames {
  return {
    name: path,
    newest: "the newest bizauth.db together with its -wal file",
    ifLost:
      "make a backup of what is here and restore it into a new directory: the log then goes on under another name (bizauth backup, bizauth restore)",
    mend: "put back the newest bizauth.db with its -wal file, or restore a backup into a new directory",
    remains: () => "the directory",
  }
}
