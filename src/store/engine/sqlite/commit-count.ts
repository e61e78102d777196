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

  constructor(
    database: Database,
    /** Is called at first, and after every commit of another connection. While it throws, so does {@link now}. */
    private readonly onOthers: () => void,
  ) {
    this.others = database.query<{ data_version: number }, []>("PRAGMA data_version")
  }

  /** This connection has committed. Returns the number of its commit. */
  committed(): number {
    return ++this.changes
  }

  /** Throws the errors of the store. */
  now(): number {
    try {
      const seen = this.others.get()?.data_version ?? -1
      if (seen === this.othersSeen) return this.changes
      this.onOthers()
      this.othersSeen = seen
      return ++this.changes
    } catch (error) {
      throw classify(error)
    }
  }
}
