/** Another process on the same database. It looks up `count` companies at one instant and prints the number of answers. */
import { openDatabase } from "../../../../db/open.ts"
import { createLog } from "../../../../src/base/log.ts"
import { realMachine } from "../../../../src/base/machine.ts"
import { openRestClient } from "../../../../src/sources/publishers/uk-companies-house/rest-client.ts"
import { SqliteStore } from "../../../../src/store/engine/sqlite/sqlite-store.ts"

const [path = "", baseUrl = "", first = "0", count = "0", requestsMax = "0", now = "0"] = process.argv.slice(2)
const store = new SqliteStore(openDatabase(path), (error) => {
  throw error
})
const client = openRestClient({
  store,
  machine: { ...realMachine, now: () => Number(now), random: (length) => new Uint8Array(length) },
  log: createLog(
    "error",
    () => {},
    () => Number(now),
  ),
  service: { baseUrl, key: "secret-api-key", timeoutMs: 5000 },
  requestsMax: Number(requestsMax),
})
const numbers = Array.from({ length: Number(count) }, (_, index) => String(Number(first) + index).padStart(8, "0"))
const answers = await Promise.all(numbers.map((number) => client.lookUp(number, Number(now))))
process.stdout.write(JSON.stringify(answers.map(({ outcome, reasonCodes }) => [outcome, ...reasonCodes].join(" "))))
await store.close()
