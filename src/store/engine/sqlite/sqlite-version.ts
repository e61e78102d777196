import { Database } from "bun:sqlite"

export function sqliteVersion(): string {
  const memory = new Database(":memory:")
  const found = memory.query<{ version: string }, []>("SELECT sqlite_version() AS version").get()
  memory.close()
  return found?.version ?? "unknown"
}
