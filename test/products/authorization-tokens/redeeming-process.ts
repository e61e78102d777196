/** A process that redeems one token and kills itself after the commit, before it sends a byte of the response. */
import { router } from "../../../src/http/router.ts"
import { authorizationTokens } from "../../../src/products/authorization-tokens/routes.ts"
import { testShell } from "../../fixtures/shell.ts"
import { databaseAt } from "../../fixtures/test-database.ts"
import { watchedStore } from "../../fixtures/watched-store.ts"

const [address = "", path = ""] = process.argv.slice(2)
const { store } = await databaseAt(address).open()
const dying = watchedStore(store, { after: () => process.kill(process.pid, "SIGKILL") })
const { shell } = testShell()
const app = router(shell, authorizationTokens({ shell, store: dying }))
const body = await Bun.stdin.text()
const headers = { "content-type": "application/json" }
const answer = await app.handle(new Request(`http://localhost${path}`, { method: "POST", headers, body }))
process.stdout.write(String(answer.status))
