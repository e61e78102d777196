/** Another process on the same database. For each input line it sets that status on every operational key. */
import { writeSync } from "node:fs"
import { openDatabase } from "../../../db/open.ts"

const database = openDatabase(process.argv[2] ?? "")
const move = database.query<{ status: string }, [string]>(
  "UPDATE agent_key SET status = ?1, until = CASE ?1 WHEN 'ACTIVE' THEN NULL ELSE since END WHERE role = 'OPERATIONAL' RETURNING status",
)
for await (const line of console) {
  if (line === "end") break
  writeSync(1, `${move.get(line)?.status}\n`)
}
database.close()
