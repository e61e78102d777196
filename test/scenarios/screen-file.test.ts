/** A file of names through the program as its users have it. Runs against the compiled file when BIZAUTH_BINARY names it. */
import { expect, test } from "bun:test"
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { run, start } from "../fixtures/binary.ts"
import { BLOCKED_ORGANISATION } from "../fixtures/sample-parties.ts"
import { openScreeningOperator, type ScreeningOperator } from "../fixtures/screening-operator.ts"

const HEADER = "id,name,type,country\n"
const ROWS_AT_ONCE = 1000

/** `rows` rows of about 220 bytes. */
function longFile(operator: ScreeningOperator, rows: number): string {
  const path = operator.file(HEADER)
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    const row = (_: unknown, at: number) => `${String(from + at).padStart(190, "0")},Ann Moss ${at},,\n`
    appendFileSync(path, Array.from({ length: ROWS_AT_ONCE }, row).join(""))
  }
  return path
}

test("the command writes rows to stdout, nothing to stderr without a terminal, and exits with 4 for a malformed line", async () => {
  using operator = await openScreeningOperator()
  const good = operator.file(`${HEADER}1,${BLOCKED_ORGANISATION},org,\n2,Ann Moss,,\n`)
  const words = "vostok=vostok 1.0000, meridian=meridian 1.0000, trading=trading 1.0000"
  const data = "identifier ABSENT, country ABSENT, address ABSENT, dob ABSENT, type MATCH"
  const reason = `BLOCK; words ${words}; left over asked: none; listed: none; multipliers none; information 2.3769; ${data}`
  expect(await run(["screen", "--file", good, "--data", operator.data])).toEqual({
    exit: 0,
    err: "",
    out:
      "id,name,state,best_score,basis,source_id,entry_id,matched_name,reason,near_misses\n" +
      `1,${BLOCKED_ORGANISATION},MATCH,1.0000,EXACT_NAME,US_OFAC_SDN,90001,${BLOCKED_ORGANISATION},"${reason}",\n` +
      "2,Ann Moss,CLEAR,0.0000,,,,,,\n",
  })
  const broken = operator.file(`${HEADER}1,Ann Moss,,\n2,"Ann Moss\n`)
  const ran = await run(["screen", "--file", broken, "--data", operator.data])
  expect([ran.exit, ran.out.split("\n")[1]]).toEqual([4, "1,Ann Moss,CLEAR,0.0000,,,,,,"])
  expect(ran.err).toMatch(/^bizauth: .* line 3: quote never closed; .*\nscreened and written: 1 names before it/)
})

test("a closed reader makes the command exit with 4 and one line, without a stack trace", async () => {
  using operator = await openScreeningOperator()
  const child = start(["screen", "--file", longFile(operator, 20_000), "--data", operator.data])
  const reader = child.stdout.getReader()
  await reader.read()
  await reader.cancel()
  expect(await new Response(child.stderr).text()).toMatch(/^bizauth: the output cannot be written \(EPIPE\).*\n$/)
  expect(await child.exited).toBe(4)
})

const measured = existsSync("/proc/self/status")
if (!measured) console.log("skipped: resident memory is read from /proc/PID/status, which this system has not")

test.skipIf(!measured)(
  "memory use does not grow with the file",
  async () => {
    using operator = await openScreeningOperator()
    async function peakMib(rows: number): Promise<number> {
      const child = start(["screen", "--file", longFile(operator, rows), "--data", operator.data], { limitMs: 40_000 })
      let lines = 0
      let kib = 0
      for await (const chunk of child.stdout) {
        for (const byte of chunk) if (byte === 10) lines += 1
        // The last chunks may be read after the process has ended; the peak was reported before.
        const status = existsSync(`/proc/${child.pid}/status`) ? readFileSync(`/proc/${child.pid}/status`, "utf8") : ""
        kib = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? kib)
      }
      expect([await child.exited, lines]).toEqual([0, rows + 1])
      return kib / 1024
    }
    // Until then the heap still grows to its usual size.
    const short = await peakMib(190_000)
    expect(short).toBeGreaterThan(20)
    // 28 MB more in and 28 MB more out: with either of them held, and what the heap still grows, this would be more.
    expect(await peakMib(320_000)).toBeLessThan(short + 30)
  },
  60_000,
)
