import type { Database } from "bun:sqlite"
import { classify } from "./sqlite-code.ts"

/**
 * A number that changes with every commit of any process. SQLite's data_version counts every commit but those of its own connection, which
 * must tell of them.
 */
export class CommitCount {
  private changes = 0
  private othersSeen = -1
  private readonly others

  constructor(database: Database) {
    this.others = database.query<{ data_version: number }, []>("PRAGMA data_version")
  }

  /** This connection has committed. Returns the number of its commit. */
  committed(): number {
    return ++this.changes
  }

  /** Throws the errors of the store. */
  now(): number {
    const seen = this.dataVersion()
    if (seen !== this.othersSeen) this.changes++
    this.othersSeen = seen
    return this.changes
  }

  private dataVersion(): number {
    try {
      return this.others.get()?.data_version ?? -1
    } catch (error) {
      throw classify(error)
    }
  }
}
