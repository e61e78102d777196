/** Another process on the same database. For each input line it advances every head by one event and prints the new sequence. */
import { writeSync } from "node:fs"
import { databaseAt } from "../../fixtures/test-database.ts"

const database = databaseAt(process.argv[2] ?? "")
for await (const line of console) {
  if (line === "end") break
  const [moved] = await database.rows<{ sequence: number }>(
    "UPDATE agent SET sequence = sequence + 1, head_event_digest = 'sha256:' || ?1 RETURNING sequence",
    line.padStart(64, "0"),
  )
  writeSync(1, `${moved?.sequence}\n`)
}
await database.close()
