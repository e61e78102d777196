import { openDatabase } from "../../../../db/open.ts"
import { schemaImage, stampSchema } from "../../../../db/schema-image.ts"
import { replaceFile } from "../../../base/durable-file.ts"
import type { CreatedDatabase } from "../engine.ts"
import { fileNames } from "./file-names.ts"
import { SqliteStore } from "./sqlite-store.ts"

/** Makes the database file of `path` with the whole schema. `createdAt` is an RFC 3339 instant. A COMMIT whose outcome is unknown throws. */
export function createSqlite(path: string, createdAt: string): CreatedDatabase {
  replaceFile(path, schemaImage())
  const database = openDatabase(path)
  const schema = stampSchema(database, createdAt)
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  return { store, names: fileNames(path), schema }
}
