/** Another process on the same database. For each input line it sets that status on every operational key. */
import { writeSync } from "node:fs"
import { databaseAt } from "../../fixtures/test-database.ts"

const database = databaseAt(process.argv[2] ?? "")
for await (const line of console) {
  if (line === "end") break
  const [moved] = await database.rows<{ status: string }>(
    "UPDATE agent_key SET status = ?1, until = CASE ?1 WHEN 'ACTIVE' THEN NULL ELSE since END WHERE role = 'OPERATIONAL' RETURNING status",
    line,
  )
  writeSync(1, `${moved?.status}\n`)
}
await database.close()
