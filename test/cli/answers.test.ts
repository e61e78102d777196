/** `bizauth answers list`: its forms, what its flags take, and that only `--ids` prints a whole id. */
import { beforeEach, describe, expect } from "bun:test"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { EXIT } from "../../src/base/exit.ts"
import { command } from "../../src/cli/answers/list.ts"
import { keepSold } from "../../src/store/sales/sold-answers.ts"
import { directoryForEach } from "../fixtures/new-data-directory.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { type Ran, runCommand } from "../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

const directory = directoryForEach()

const PAYER = `0x${"ab".repeat(20)}`
const LEI = "5493001KJTIIGC8Y1R12"
const AT = (day: number) => `2026-11-0${day}T08:00:00.000Z`
const idOf = (prefix: string, n: number) => `${prefix}_${"AbCdEf"}${String(n).repeat(16)}`
const txOf = (n: number) => `0x${String(n).repeat(64)}`

const SUPPLIERS = [
  { names: ["Harbor Light Instruments LLC"], identifiers: [`lei:${LEI}`] },
  { names: ["=cmd() ‮evil\u001b[31m"], identifiers: ["company:00006400"] },
  { names: ['Łódź "Trading", Sp. z o.o.'], identifiers: ["uei:ZQGGHJH74DW7"] },
]

/** Answer `n` was sold on the n-th day about the n-th supplier. */
async function sell(): Promise<void> {
  const { store } = await directory().database.open()
  await store.run(function* () {
    for (const [at, party] of SUPPLIERS.entries()) {
      const n = at + 1
      const ids = { requestId: idOf("drq", n), answerId: idOf("exe", n), deliveryReference: idOf("dlv", n) }
      const decision = n === 2 ? "REVIEW" : "APPROVE"
      const about = { product: "us.company.check.v1", decision, payer: PAYER, tx: txOf(n), soldAt: AT(n) }
      yield* keepSold({ ...ids, ...about }, party)
    }
  })
  await store.close()
}

const list = (...flags: string[]): Promise<Ran> => runCommand(command, ["--data", directory().path, ...flags])

async function listed(...flags: string[]): Promise<number[]> {
  const { exit, out, err } = await list("--json", ...flags)
  expect([exit, err]).toEqual([EXIT.DONE, ""])
  return (JSON.parse(out).answers as { sold_at: string }[]).map(({ sold_at: at }) => Number(at.slice(9, 10)))
}

test("with nothing sold it says so, in each form", async () => {
  expect(await list()).toEqual({ exit: EXIT.DONE, out: "none\n", err: "" })
  expect(JSON.parse((await list("--json")).out)).toEqual({ version: 1, answers: [], next: null, complete: true })
  expect((await list("--csv")).out.trimEnd().split("\n")).toHaveLength(1)
})

describe("with three answers", () => {
  beforeEach(sell)

  test("a table shows each in a line, the newest first, with short ids and with harmless names", async () => {
    const { out, err } = await list()
    expect(err).toBe("")
    expect(out).toBe(
      [
        "TIME                  DECISION  PRODUCT              PAYER        TRANSACTION  ANSWER       SUPPLIER",
        '2026-11-03T08:00:00Z  APPROVE   us.company.check.v1  0xabab…abab  0x3333…3333  exe_AbCdEf…  Łódź "Trading", Sp. z o.o.',
        "2026-11-02T08:00:00Z  REVIEW    us.company.check.v1  0xabab…abab  0x2222…2222  exe_AbCdEf…  =cmd() \\u{202e}evil\\u{1b}[31m",
        "2026-11-01T08:00:00Z  APPROVE   us.company.check.v1  0xabab…abab  0x1111…1111  exe_AbCdEf…  Harbor Light Instruments LLC",
        "",
      ].join("\n"),
    )
  })

  test("no form prints an id in full without --ids, and each does with it", async () => {
    const ids = [1, 2, 3].flatMap((n) => [idOf("exe", n), idOf("dlv", n), idOf("drq", n)])
    for (const form of [[], ["--json"], ["--csv"]]) {
      const { out } = await list(...form)
      expect(ids.filter((id) => out.includes(id))).toEqual([])
      const full = (await list(...form, "--ids")).out
      expect(ids.filter((id) => id.startsWith("exe") && !full.includes(id))).toEqual([])
    }
    const [newest] = JSON.parse((await list("--json", "--ids")).out).answers
    expect(newest).toEqual({
      ...{ sold_at: AT(3), product: "us.company.check.v1", decision: "APPROVE", supplier: SUPPLIERS[2]?.names[0] },
      ...{ payer: PAYER, transaction: txOf(3), answer_id: idOf("exe", 3) },
      ...{ delivery_reference: idOf("dlv", 3), request_id: idOf("drq", 3) },
    })
  })

  test("CSV has a header, and no cell that a spreadsheet runs", async () => {
    const lines = (await list("--csv")).out.trimEnd().split("\n")
    expect(lines[0]).toBe("sold_at,product,decision,supplier,payer,transaction,answer_id,delivery_reference,request_id")
    expect(lines[1]).toContain(',"Łódź ""Trading"", Sp. z o.o.",')
    expect(lines[2]).toContain(",'=cmd() ")
    expect(lines).toHaveLength(4)
  })

  test.each([
    [
      ["--since", "2026-11-02"],
      [3, 2],
    ],
    [["--since", "2026-11-02T08:00:00.001Z"], [3]],
    [["--until", "2026-11-02T10:00:00+02:00"], [1]],
    [["--since", "2026-11-02", "--until", "2026-11-03"], [2]],
    [
      ["--payer", PAYER.toUpperCase().replace("0X", "0x")],
      [3, 2, 1],
    ],
    [["--payer", `0x${"0".repeat(40)}`], []],
    [["--tx", txOf(2)], [2]],
    [
      ["--product", "us.company.check.v1"],
      [3, 2, 1],
    ],
    [["--product", PAYMENT_DECISION_PRODUCT], []],
    [
      ["--decision", "APPROVE"],
      [3, 1],
    ],
    [["--decision", "APPROVE", "--product", "us.company.check.v1", "--until", "2026-11-02"], [1]],
    [["--supplier", "harbor light instruments, llc."], [1]],
    [["--supplier", "Harbor Light"], []],
    [["--supplier", `lei:${LEI.toLowerCase()}`], [1]],
    [["--supplier", "uei:zqgghjh74dw7"], [3]],
    [["--supplier", "company:6400"], [2]],
    [["--supplier", "łódź trading sp z o o", "--decision", "REVIEW"], []],
    [["--supplier", "nothing:known"], []],
  ] as const)("%j lists %j", async (flags, days) => {
    expect(await listed(...flags)).toEqual([...days])
  })

  test("a list with a limit names the place where the next one begins", async () => {
    const first = await list("--limit", "2")
    const [, cursor = ""] = /^older answers follow: --after (\S+)\n?$/.exec(first.err) ?? []
    expect(cursor).toBe(`${AT(2)}/2`)
    expect(first.out.trimEnd().split("\n")).toHaveLength(3)
    expect(await listed("--after", cursor)).toEqual([1])
    expect(await listed("--after", cursor, "--until", "2026-11-01")).toEqual([])
    expect(JSON.parse((await list("--limit", "2", "--json")).out).next).toBe(cursor)
    expect(JSON.parse((await list("--limit", "1", "--json", "--after", cursor)).out).next).toBeNull()
  })

  test("a list without the answers of an earlier release says so", async () => {
    await directory().database.write("INSERT INTO sold_fill (id, filled_to) VALUES ('DELIVERIES', '')")
    expect((await list()).err.trim()).toBe(
      "note: answers of earlier releases are missing here until a running server has added all of them",
    )
    expect(JSON.parse((await list("--json")).out).complete).toBe(false)
  })
})

test.each([
  [["--csv", "--json"], "give --csv or --json, not both"],
  [["--since", "yesterday"], "--since is an RFC 3339 time or a day, such as"],
  [["--until", "2026-02-30"], "--until is an RFC 3339 time or a day"],
  [["--payer", "0x12"], "--payer is 0x and 40 hexadecimal digits"],
  [["--tx", "12"], "--tx is 0x and 64 hexadecimal digits"],
  [["--product", "company check"], `--product is one of ${PAYMENT_DECISION_PRODUCT}, us.company.check.v1`],
  [["--decision", "approve"], "--decision is one of ALLOW, "],
  [["--supplier", "…"], "--supplier is a name with a letter or digit, or an identifier such as lei:…"],
  [["--supplier", "lei:123"], "lei is 20 letters and digits"],
  [["--supplier", "company:x"], "company is a number of Companies House"],
  [["--after", "17"], "--after is the cursor that an earlier list printed"],
  [["--after", "2026-11-20T08:00:00+01:00/17"], "--after is the cursor"],
  [["--after", "2026-13-20T08:00:00.000Z/17"], "--after is the cursor"],
  [["--limit", "0"], "--limit is a number from 1 to 1000; --after goes on where a list ended"],
  [["--limit", "1001"], "--limit is a number from 1 to 1000"],
  [["--limit", "-1"], "--limit"],
  [["--limit=1e2"], "--limit is a number from 1 to 1000"],
])("%j is exit 2, and says what the flag takes", async (flags, message) => {
  const { exit, out, err } = await list(...flags)
  expect([exit, out]).toEqual([EXIT.USAGE, ""])
  expect(err).toContain(message)
})
