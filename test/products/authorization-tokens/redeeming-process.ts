/** One process that is asked to redeem one token and kills itself when the redemption is committed, before a byte of the answer left. */
import { openDatabase } from "../../../db/open.ts"
import { authorizationTokens } from "../../../src/products/authorization-tokens/routes.ts"
import { SqliteStore } from "../../../src/store/sqlite-store.ts"
import { testShell } from "../../fixtures/shell.ts"

const [databasePath = "", path = ""] = process.argv.slice(2)
const store = new SqliteStore(openDatabase(databasePath), (error) => {
  throw error
})
const run = store.run.bind(store)
const killed: typeof store.run = async (unit) => {
  const done = await run(unit)
  process.kill(process.pid, "SIGKILL")
  return done
}
const app = authorizationTokens({ shell: testShell().shell, store: Object.assign(store, { run: killed }) })
const body = await Bun.stdin.text()
const headers = { "content-type": "application/json" }
const answer = await app.handle(new Request(`http://localhost${path}`, { method: "POST", headers, body }))
process.stdout.write(String(answer.status))
