import { describe, expect } from "bun:test"
import { mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { BLOCK_REMAINS_A_HOLD } from "../../../src/case/hits.ts"
import { command as importSource } from "../../../src/cli/sources/import.ts"
import { command as add } from "../../../src/cli/suppressions/add.ts"
import { command as list } from "../../../src/cli/suppressions/list.ts"
import { command as revoke } from "../../../src/cli/suppressions/revoke.ts"
import { DAY, formatInstant } from "../../../src/core/time.ts"
import { sampleLists } from "../../fixtures/sample-lists.ts"
import { openScreeningOperator, type ScreeningOperator } from "../../fixtures/screening-operator.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const test = slowTests(import.meta.path)

/** Matches the listed VOSTOK MERIDIAN TRADING LLC with a score well below the blocking threshold. */
const NAME = "Vostok Meridian LLC"
const inDays = (days: number) => formatInstant(Date.now() + days * DAY)
const WHO = ["--reason", "another owner, register extract of 3 November", "--author", "R. Reviewer"]
const judgement = (until = inDays(30)) => ["--entry", "US_OFAC_SDN:90001", ...WHO, "--until", until]

const operator = async () => {
  const made = await openScreeningOperator()
  const on = (command: typeof add, ...args: string[]) => runCommand(command, [...args, "--data", made.data])
  return { ...made, on, [Symbol.dispose]: () => made[Symbol.dispose]() }
}
const idIn = (out: string) => /sup_[A-Za-z0-9_-]{22}/.exec(out)?.[0] ?? ""
const stateOf = async ({ screen }: Pick<ScreeningOperator, "screen">, ...args: string[]) =>
  (await screen(NAME, ...args)).out.split("  ")[0]

describe("suppressions", () => {
  test("a hit can be judged, listed and revoked", async () => {
    using at = await operator()
    expect(await stateOf(at, "--type", "org")).toBe("POSSIBLE_MATCH")
    const added = await at.on(add, "--name", NAME, "--type", "org", ...judgement())
    expect([added.exit, added.err]).toEqual([0, ""])
    const id = idIn(added.out)
    const shown = await at.screen(NAME, "--type", "org")
    expect(shown.out).toStartWith("CLEAR  best score 0.")
    expect(shown.out).toContain("\njudged not to be the same party (bizauth suppressions list):\n\nHOLD ")
    expect(shown.out).toContain(`  suppressed    ${id} until `)
    const json = JSON.parse((await at.screen(NAME, "--type", "org", "--json")).out)
    expect(json).toMatchObject({ state: "CLEAR", hits: [], hit_count: 0 })
    expect(json.suppressed_hits).toMatchObject([
      { entry_id: "90001", tier: "HOLD", suppression: { suppression_id: id } },
    ])
    expect((await at.on(list)).out).toMatch(
      new RegExp(
        `^IN_FORCE  ${id}  US_OFAC_SDN 90001  until .*\\n  party   ${NAME}  org\\n  judged  .* by R. Reviewer: another owner`,
      ),
    )

    const twice = await at.on(add, "--name", NAME.toUpperCase(), "--type", "org", ...judgement())
    expect([twice.exit, twice.err]).toEqual([3, `${id} already says so; revoke it to record another judgement`])

    const revoked = await at.on(revoke, id, "--reason", "wrong file", "--author", "S. Second")
    expect([revoked.exit, await stateOf(at, "--type", "org")]).toEqual([0, "POSSIBLE_MATCH"])
    expect((await at.on(list)).out).toBe("none\n")
    expect((await at.on(list, "--all")).out).toContain("by S. Second: wrong file")
    expect((await at.on(revoke, id, "--reason", "again", "--author", "S")).exit).toBe(3)
    expect((await at.on(revoke, "sup_none", "--reason", "again", "--author", "S")).exit).toBe(5)
  })

  test.each<readonly [what: string, args: readonly string[], lines: readonly string[]]>([
    [
      "an organization with an identifier",
      ["--type", "org", "--id", "uei:ZQGGHJH74DW7"],
      [
        `  lifts   US answers that ask for the name ${NAME} with uei:ZQGGHJH74DW7 and no other identifier`,
        "  lifts no question with one more or one fewer identifier, or with another name",
      ],
    ],
    [
      "a name alone",
      [],
      [
        "  lifts no US answer: they ask for an organization: --type org; they ask with every uei, cage, lei, cik and ein of the request, at least one beside an ein: --id uei:…",
      ],
    ],
    [
      "an organization with a country",
      ["--type", "org", "--id", "uei:ZQGGHJH74DW7", "--country", "AE"],
      ["  lifts no US answer: they ask without a country"],
    ],
  ])("a judgement of %s says beforehand which answers it lifts", async (_what, args, lines) => {
    using at = await operator()
    const added = await at.on(add, "--name", NAME, ...args, ...judgement())
    const own = "  lifts   bizauth screen with the same name, type, identifiers, country and date of birth"
    const shown = added.out.split("\n")
    expect(shown.slice(0, shown.indexOf("  lifted:"))).toEqual([
      expect.stringContaining(`judged ${NAME}`),
      ...lines,
      own,
    ])
    const listed = (await at.on(list)).out
    for (const line of [...lines, own, "  changed no delivered answer yet"]) expect(listed).toContain(`${line}\n`)
  })

  test("a stored screening result is judged with the party it was screened for", async () => {
    using at = await operator()
    const requests = ["--type", "org", "--id", "uei:ZQGGHJH74DW7,lei:5493001KJTIIGC8Y1R12", "--country", "AE"]
    const path = at.file((await at.screen(NAME, ...requests, "--json")).out)
    expect((await at.on(add, "--screened", path, ...judgement())).exit).toBe(0)
    expect(await stateOf(at, ...requests)).toBe("CLEAR")
    // Without one of its identifiers, or with its country, the party counts as another one.
    expect(await stateOf(at, "--type", "org", "--id", "uei:ZQGGHJH74DW7", "--country", "AE")).toBe("POSSIBLE_MATCH")
    expect(await stateOf(at, "--type", "org", "--country", "RU")).toBe("POSSIBLE_MATCH")
  })

  test("a judgement holds every --id, and lifts the hit of exactly that party", async () => {
    using at = await operator()
    const [uei, lei] = ["uei:ZQGGHJH74DW7", "lei:5493001KJTIIGC8Y1R12"]
    const added = await at.on(add, "--name", NAME, "--type", "org", "--id", uei, "--id", lei, ...judgement())
    expect([added.exit, added.err]).toEqual([0, ""])
    expect((await at.on(list)).out).toContain(`  party   ${NAME}  org  ${uei}  ${lei}\n`)
    // Both are in one comma-separated text, in another order, or two flags: it is the same party.
    expect(await stateOf(at, "--type", "org", "--id", `${lei},${uei}`)).toBe("CLEAR")
    expect(await stateOf(at, "--type", "org", "--id", lei, "--id", uei)).toBe("CLEAR")
    for (const one of [uei, lei]) expect(await stateOf(at, "--type", "org", "--id", one)).toBe("POSSIBLE_MATCH")
  })

  test("an identifier counts in its one form, however it was written when the party was judged", async () => {
    using at = await operator()
    const written = ["--type", "org", "--id", "ein:12-3456789,cik:320193,uei:zqgghjh74dw7"]
    expect((await at.on(add, "--name", NAME, ...written, ...judgement())).exit).toBe(0)
    const identifiers = [
      { scheme: "ein", value: "123456789" },
      { scheme: "cik", value: "0000320193" },
      { scheme: "uei", value: "ZQGGHJH74DW7" },
    ]
    expect(JSON.parse((await at.on(list, "--json")).out).suppressions[0].party.identifiers).toEqual(identifiers)
    expect(await stateOf(at, "--type", "org", "--id", "ein:123456789,cik:0000320193,uei:ZQGGHJH74DW7")).toBe("CLEAR")
    const path = at.file(
      JSON.stringify({
        query: { name: NAME, type: "org", identifiers: [{ scheme: "uei", value: "0" }], countries: [] },
      }),
    )
    expect((await at.on(add, "--screened", path, ...judgement())).exit).toBe(2)
  })

  test("the date of birth in a stored screening result is part of the judged party", async () => {
    using at = await operator()
    const requests = ["Marek Kestrelev", "--type", "person"]
    const path = at.file((await at.screen(...requests, "--birth-date", "1990-01-01", "--json")).out)
    const judged = ["--entry", "US_OFAC_SDN:90002", ...WHO, "--until", inDays(30)]
    expect((await at.on(add, "--screened", path, ...judged)).exit).toBe(0)
    expect((await at.screen(...requests, "--birth-date", "1990-01-01")).out).toStartWith("CLEAR")
    for (const other of [[], ["--birth-date", "1991"]])
      expect((await at.screen(...requests, ...other)).out).toStartWith("POSSIBLE_MATCH")
  })

  test("an entry that would block becomes a hold when judged, in the table, in JSON and in a file of names", async () => {
    using at = await operator()
    const added = await at.on(add, "--name", "Vostok Meridian Trading LLC", "--type", "org", ...judgement())
    expect([added.exit, added.out.trimEnd().split("\n").at(-1)]).toEqual([0, BLOCK_REMAINS_A_HOLD])
    const shown = await at.screen("Vostok Meridian Trading LLC", "--type", "org")
    expect(shown.out).toStartWith("POSSIBLE_MATCH  ")
    expect(shown.out).toContain("; it stays a HOLD, because the list would have blocked\n")
    const rows = await at.screen("--file", at.file("id,name,type,country\n7,Vostok Meridian Trading LLC,org,\n"))
    const words = "vostok=vostok 1.0000, meridian=meridian 1.0000, trading=trading 1.0000"
    const data = "identifier ABSENT, country ABSENT, address ABSENT, dob ABSENT, type MATCH"
    const reason = `BLOCK; words ${words}; left over asked: none; listed: none; multipliers none; information 2.3769; ${data}`
    const judged = "judged another party than US_OFAC_SDN 90001 (SUPPRESSION)"
    expect(rows.out.split("\n")[1]?.replace(/sup_[\w-]{22}/, "SUPPRESSION")).toBe(
      `7,Vostok Meridian Trading LLC,POSSIBLE_MATCH,1.0000,EXACT_NAME,US_OFAC_SDN,90001,VOSTOK MERIDIAN TRADING LLC,"${reason}; ${judged}",`,
    )
  })

  test("a judgement lapses when the list changes the entry, and the list of judgements shows it", async () => {
    using at = await operator()
    await at.on(add, "--name", NAME, "--type", "org", ...judgement())
    const folder = join(at.data, "..", "changed")
    mkdirSync(folder)
    const publishedAt = Date.now() - 60_000
    for (const { name, bytes } of sampleLists({ publishedAt }).US_OFAC_SDN) {
      const text = new TextDecoder().decode(bytes).replace("RUSSIA-EO14024", "RUSSIA-EO14024] [SDGT")
      writeFileSync(join(folder, name), text)
      utimesSync(join(folder, name), publishedAt / 1000, publishedAt / 1000)
    }
    expect((await runCommand(importSource, ["US_OFAC_SDN", folder, "--data", at.data])).exit).toBe(0)
    expect(await stateOf(at, "--type", "org")).toBe("POSSIBLE_MATCH")
    expect((await at.on(list)).out).toStartWith("LAPSED ")
  })

  test.each<readonly [what: string, exit: number, args: readonly string[]]>([
    ["an entry it does not hit", 5, ["--name", NAME, "--entry", "US_OFAC_SDN:90003", ...WHO, "--until", inDays(3)]],
    ["an unknown source", 2, ["--name", NAME, "--entry", "US_OFAC:90001", ...WHO, "--until", inDays(3)]],
    ["an entry without its source", 2, ["--name", NAME, "--entry", "90001", ...WHO, "--until", inDays(3)]],
    ["an end in the past", 2, ["--name", NAME, "--type", "org", ...judgement(inDays(-1))]],
    ["an end beyond a year", 2, ["--name", NAME, "--type", "org", ...judgement(inDays(367))]],
    ["a day that does not exist", 2, ["--name", NAME, "--type", "org", ...judgement("2027-02-30")]],
    ["no reason", 2, ["--name", NAME, "--entry", "US_OFAC_SDN:90001", "--author", "A", "--until", inDays(3)]],
    [
      "an empty author",
      2,
      ["--name", NAME, "--entry", "US_OFAC_SDN:90001", "--author", " ", "--reason", "r", "--until", inDays(3)],
    ],
    [
      "a reason without end",
      2,
      [
        "--name",
        NAME,
        "--entry",
        "US_OFAC_SDN:90001",
        "--author",
        "A",
        "--reason",
        "r".repeat(1001),
        "--until",
        inDays(3),
      ],
    ],
    ["an unreadable name", 3, ["--name", "Vostok \u6d77", "--type", "org", ...judgement()]],
    ["an identifier of the entry", 3, ["--name", NAME, "--type", "org", "--id", "tax:2500000017", ...judgement()]],
    ["no party", 2, judgement()],
    ["a file and a name", 2, ["--name", NAME, "--screened", "x.json", ...judgement()]],
    ["a file that is not a screening result", 4, ["--screened", "package.json", ...judgement()]],
  ])("%s is rejected and nothing is recorded", async (_what, exit, args) => {
    using at = await operator()
    expect((await at.on(add, ...args)).exit as number).toBe(exit)
    expect((await at.on(list, "--all")).out).toBe("none\n")
  })
})
