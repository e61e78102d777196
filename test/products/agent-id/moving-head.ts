/** Another process on the same database. For each input line it advances every head by one event and prints the new sequence. */
import { writeSync } from "node:fs"
import { openDatabase } from "../../../db/open.ts"

const database = openDatabase(process.argv[2] ?? "")
const move = database.query<{ sequence: number }, [string]>(
  "UPDATE agent SET sequence = sequence + 1, head_event_digest = 'sha256:' || ?1 RETURNING sequence",
)
for await (const line of console) {
  if (line === "end") break
  writeSync(1, `${move.get(line.padStart(64, "0"))?.sequence}\n`)
}
database.close()
