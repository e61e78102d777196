import { expect, test } from "bun:test"
import { bugFields, createLog } from "../../../src/base/log.ts"
import { humanLines, takesColours } from "../../../src/cli/log/human-lines.ts"

const plain = { isColoured: false }

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  let text = ""
  write(
    createLog(
      "debug",
      (lines) => (text += lines),
      () => Date.UTC(2026, 10, 20, 10, 0, 0, 5),
    ),
  )
  return text
}

test("a line has its time of day, its level, its event and its fields", () => {
  const line = logged((log) => log.warn("source_not_fetched", { source: "US_OFAC_SDN", code: "TIMEOUT", next_s: 60 }))
  expect(humanLines(line, plain)).toBe(
    "10:00:00.005 WARN  source_not_fetched source=US_OFAC_SDN code=TIMEOUT next_s=60\n",
  )
})

test("a request line is converted too", () => {
  const line = logged((log) => {
    log.request({ requestId: "req_1", operation: "us_payment_decision", status: 402, milliseconds: 3 })
    log.flush()
  })
  expect(humanLines(line, plain)).toBe(
    "10:00:00.005 INFO  request request_id=req_1 operation=us_payment_decision status=402 ms=3\n",
  )
})

test("a value cannot look like another field, break the line or reach the terminal as a control sequence", () => {
  const line = logged((log) => log.info("notice", { a: "x b=1", c: 'q"', d: "", e: "\u001b[2J\nnext", f: null }))
  const shown = humanLines(line, plain)
  expect(shown).toBe('10:00:00.005 INFO  notice a="x b=1" c="q\\"" d="" e="\\u001b[2J\\nnext" f=null\n')
})

test("the stack of a bug is on lines of its own", () => {
  const line = logged((log) => log.error("bug", bugFields(new TypeError("x is not a function"))))
  const [first, second] = humanLines(line, plain).split("\n")
  expect(first).toBe('10:00:00.005 ERROR bug error=TypeError message="x is not a function"')
  expect(second).toBe("    TypeError: x is not a function")
})

test("several lines in one text, and text that is no line, are kept in their order", () => {
  const lines = logged((log) => {
    log.debug("one")
    log.debug("two")
  })
  expect(humanLines(`${lines}listening http://127.0.0.1:1\n`, plain)).toBe(
    "10:00:00.005 DEBUG one\n10:00:00.005 DEBUG two\nlistening http://127.0.0.1:1\n",
  )
})

test("only the level has a colour", () => {
  const shown = humanLines(
    logged((log) => log.error("bug", { code: "X" })),
    { isColoured: true },
  )
  expect(shown).toBe("10:00:00.005 \u001b[31mERROR\u001b[0m bug code=X\n")
})

test.each([
  [{}, true],
  [{ TERM: "xterm-256color", NO_COLOR: "" }, true],
  [{ TERM: "dumb" }, false],
  [{ NO_COLOR: "1" }, false],
])("colours with %j: %p", (environment, colours) => expect(takesColours(environment)).toBe(colours))
