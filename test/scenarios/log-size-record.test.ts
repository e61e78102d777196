/** The recorded size of the log, kept by the running program. */
import { describe, expect, test } from "bun:test"
import { copyFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { readSizeRecord, sizeRecordPath } from "../../src/data/log-size-record.ts"
import { append, directory, OWN, open, putBack } from "../data/log-size-bench.ts"
import { run, serve } from "../fixtures/binary.ts"
import { databaseOf } from "../fixtures/database-of.ts"

describe("the running service", () => {
  test("that is killed after a commit leaves the record behind the log, and updates it after a restart", async () => {
    using at = await directory()
    const first = await serve(at.path)
    const opened = await open(at.path)
    await append(opened, "a")
    await first.kill()
    expect(readSizeRecord(at.path)?.size ?? 0).toBeLessThanOrEqual(OWN + 1)
    await append(opened, "b")
    await opened.store.close()
    const second = await serve(at.path)
    expect(await second.stop()).toBe(0)
    expect(readSizeRecord(at.path)?.size).toBe(OWN + 2)
  }, 30_000)

  test("refuses a restored older copy with exit code 7, and accepts the newest copy again", async () => {
    using at = await directory()
    const [copy, newest] = [join(at.path, "..", "copy.db"), join(at.path, "..", "newest.db")]
    const opened = await open(at.path)
    await append(opened, "a")
    databaseOf(opened).query("VACUUM INTO ?1").run(copy)
    await append(opened, "b")
    await opened.store.close()
    const served = await serve(at.path)
    expect(await served.stop()).toBe(0)
    const recorded = readFileSync(sizeRecordPath(at.path), "utf8")
    copyFileSync(join(at.path, "bizauth.db"), newest)

    putBack(at.path, copy)
    const refused = await run(["serve", "--data", at.path, "--listen", "127.0.0.1:0"])
    expect([refused.exit, refused.out]).toEqual([7, ""])
    expect(refused.err).toContain(`has ${OWN + 1} leaves`)
    expect(readFileSync(sizeRecordPath(at.path), "utf8")).toBe(recorded)

    putBack(at.path, newest)
    const again = await serve(at.path)
    expect(await again.stop()).toBe(0)
  }, 30_000)
})
