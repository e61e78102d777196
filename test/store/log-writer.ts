/** A process that appends to the log, several units at once, until it is killed. It prints each index that the store acknowledged. */
import { writeSync } from "node:fs"
import { digestBytes } from "../../src/core/digest.ts"
import { appendKeyEvent } from "../../src/store/log/transparency-log.ts"
import { databaseAt } from "../fixtures/test-database.ts"

const [address = "", name = ""] = process.argv.slice(2)
const { store } = await databaseAt(address).open()
await Promise.all(
  Array.from({ length: 8 }, async (_, writer) => {
    for (let i = 0; ; i++) {
      const event = `${name} ${writer} ${i}`
      writeSync(1, `${await store.run(() => appendKeyEvent(`svc:agent:${i % 40}`, digestBytes(event)))}\n`)
    }
  }),
)
