/** A second process on the same database: serves the routes of agent sales on a free port, prints its origin, and ends with its input. */
import { writeSync } from "node:fs"
import { openSalesServer } from "../../sales-test-server.ts"

const server = openSalesServer(process.argv[2] ?? "")
const listener = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => server.app.handle(request) })
writeSync(1, `http://127.0.0.1:${listener.port}\n`)
for await (const _ of console) break
await listener.stop(true)
await server.close()
