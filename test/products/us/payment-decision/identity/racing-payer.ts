/**
 * One of two processes on one database. For each supplier it releases a first payment, named and paid otherwise than by the other process, and
 * prints what it was answered. A line on stdin starts it.
 */
import { writeSync } from "node:fs"
import { NO_REGISTERS } from "../../../../fixtures/test-server.ts"
import { openIdentityBook } from "./identity-book.ts"

const [address = "", name = "", suppliers = "0"] = process.argv.slice(2)
const isFirst = name === "one"
const to = `0x${(isFirst ? "aa" : "bb").repeat(20)}`
const book = await openIdentityBook(NO_REGISTERS, { address, name, isFirst })
writeSync(1, "ready\n")
for await (const _line of console) break
for (let n = 0; n < Number(suppliers); n++) {
  const [uei, cage] = [`XAMPLE${String(n).padStart(6, "2")}`, `7${String(n).padStart(4, "A")}`]
  const identifiers = isFirst ? { uei, cage } : { cage, cik: String(n + 1) }
  const answer = await book.deliver({ identifiers, name: nameOf(n), entity: `${name}-${n}`, to })
  writeSync(1, `${"code" in answer ? answer.code : answer.core.decision}\n`)
}
await book.close()

/** Another name for each supplier, without digits that could look like another one's. */
function nameOf(n: number): string {
  return `Northwind ${n.toString(26).replaceAll(/[0-9]/g, (digit) => "qrstuvwxyz".charAt(Number(digit)))} Works LLC`
}
