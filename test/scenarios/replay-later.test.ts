/** Decisions of one day, replayed a month and ten publications later with the bytes that they used. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { AnswerBundle } from "../../schemas/answer-bundle.ts"
import type { CompanyCheckFacts } from "../../schemas/us/company-check.ts"
import type { DeliveryBundle } from "../../schemas/us/delivery-bundle.ts"
import { command as replay } from "../../src/cli/documents/replay.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { DAY, formatInstant, instant } from "../../src/core/time.ts"
import { Report } from "../../src/offline/report.ts"
import { rescreen } from "../../src/products/us/payment-decision/rescreen.ts"
import { lookUpRegistration } from "../../src/products/us/registration.ts"
import { rescreenOperation } from "../../src/products/us/rescreen.ts"
import { supplierQuery } from "../../src/products/us/screening.ts"
import { readKept, rebuildIndex } from "../../src/sources/boards/rebuild-index.ts"
import { snapshotFolder } from "../../src/sources/import/snapshot-files.ts"
import { REQUIRED_US_SOURCES, type SourceId } from "../../src/sources/records/party.ts"
import { EARLIER_SCORERS } from "../../src/sources/screening/scorer.ts"
import { screen } from "../../src/sources/screening/screen.ts"
import { screeningFact } from "../../src/sources/screening/screening-fact.ts"
import { snapshotsOnDisk } from "../../src/store/sources/sources.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { type MonthLater, monthLater, SOLD, type Sold } from "../fixtures/month-later.ts"
import { registerBoard, registered } from "../fixtures/register-board.ts"
import { runCommand } from "../fixtures/terminal.ts"

setDefaultTimeout(60_000)

const SDN = "US_OFAC_SDN"
let month: MonthLater
/** Snapshots the decisions name, by source. */
const used = new Map<string, string>()
beforeAll(async () => {
  month = await monthLater()
  for (const { source_id, snapshot_id } of month.bundle("gone").facts.sources) used.set(source_id, snapshot_id)
})
afterAll(() => month.close())

const pathOf = (which: Sold) => month.at("bundles", `${which}.json`)

async function replayed(path: string, data = month.directory) {
  const ran = await runCommand(replay, [
    path,
    "--rescreen",
    "--data",
    data,
    "--issuer",
    month.at("jwks.json"),
    "--json",
  ])
  const [file] = JSON.parse(ran.out).files as {
    result: string
    checks: { check: string; state: string; detail: string }[]
  }[]
  const bad = file?.checks.filter(({ state }) => state !== "OK" && state !== "NOTE")
  return { exit: ran.exit as number, ...file, bad }
}

describe("ten publications after the sale", () => {
  test("the sold decisions have the expected outcomes, so that replaying them proves something", () => {
    const seen = SOLD.map((which) => {
      const { delivery, facts } = month.bundle(which)
      return [
        delivery.decision,
        facts.screening.state,
        facts.screening.hits.map(({ list }) => list),
        facts.screening.suppressed_hits?.length ?? 0,
        facts.wallet_hits.payee?.entry_id ?? null,
      ]
    })
    expect(seen).toEqual([
      ["HOLD", "POSSIBLE_MATCH", ["REMOVED_RECENTLY"], 0, null],
      [expect.stringMatching(/^(ALLOW|ALLOW_WITH_CONDITIONS|HOLD)$/), "CLEAR", [], 1, null],
      ["BLOCK", "CLEAR", [], 0, "90004"],
    ])
  })

  test("the service keeps only the last three publications and those that a delivery names", async () => {
    for (const id of REQUIRED_US_SOURCES) {
      const kept = (await month.store.read(() => snapshotsOnDisk(id))).map(({ snapshotId }) => snapshotId)
      expect(kept).toHaveLength(4)
      expect(kept).toContain(used.get(id) ?? "")
      expect(
        readdirSync(join(month.root, id))
          .filter((name) => name.startsWith("snp_"))
          .sort(),
      ).toEqual(kept.sort())
    }
    const dropped = await month.database.count("source_snapshot", "state = 'DROPPED'")
    expect(dropped).toBe(REQUIRED_US_SOURCES.length * 7 + 1)
  })

  test("the export is the same file, and replay and a second screening give the same bytes", async () => {
    for (const which of SOLD) {
      expect(
        Buffer.from(await month.exported(month.bundle(which).delivery.decision_id)).equals(month.bundles[which]),
      ).toBe(true)
      const ran = await replayed(pathOf(which))
      expect([which, ran.exit, ran.result, ran.bad]).toEqual([which, 0, "VALID", []])
      const same = ran.checks?.filter(({ state }) => state === "OK").map(({ check }) => check) ?? []
      expect(same).toEqual(expect.arrayContaining(["decision", "capsule payload", "signature", "screening", "wallets"]))
      expect(same.filter((check) => check.startsWith("bytes of "))).toHaveLength(4)
    }
  })

  test("company checks of the same day replay and screen again to the same bytes, alone and in their folder", async () => {
    const states = SOLD.map((which) => {
      const { facts } = JSON.parse(readFileSync(month.at("answers", `${which}.json`), "utf8")) as AnswerBundle
      return (facts as CompanyCheckFacts).screening.state
    })
    expect(states).toEqual(["POSSIBLE_MATCH", "CLEAR", "CLEAR"])
    for (const which of SOLD) {
      const ran = await replayed(month.at("answers", `${which}.json`))
      expect([which, ran.exit, ran.result, ran.bad]).toEqual([which, 0, "VALID", []])
      const same = ran.checks?.filter(({ state }) => state === "OK").map(({ check }) => check) ?? []
      expect(same).toEqual(expect.arrayContaining(["decision", "capsule payload", "signature", "screening"]))
      expect(same.filter((check) => check.startsWith("bytes of "))).toHaveLength(4)
    }
    expect((await replayed(month.at("answers"))).exit).toBe(0)
  })

  test("a second screening reads the stored bytes, because today's lists would give other results", async () => {
    const board = await month.boardNow()
    const now = (which: Sold) => screen(board.index(), supplierQuery(month.bundle(which).request.supplier, "MEDIUM"))
    expect(now("gone").state).toBe("CLEAR")
    expect(now("judged").hits.map(({ matchedName }) => matchedName)).not.toEqual(
      month.bundle("judged").facts.screening.suppressed_hits?.map(({ matched_name }) => matched_name),
    )
  })
})

test("a decision of an earlier scorer is screened again by that scorer", () => {
  const { request, facts } = month.bundle("gone")
  const kept = facts.sources.map((source) => {
    const { source_id: sourceId, snapshot_id: snapshotId, raw_sha256: rawSha256 } = source
    const one = { sourceId, snapshotId, rawSha256, sourceVersion: source.source_version }
    const used = { ...one, parserVersion: source.parser_version }
    const found = readKept(month.root, used)
    if (found.state !== "SAME") throw new Error(found.why)
    return { ...used, stored: found.stored }
  })
  for (const scorer of EARLIER_SCORERS) {
    const query = { ...supplierQuery(request.supplier, "MEDIUM"), threshold: facts.screening.threshold }
    const screening = screeningFact(screen(rebuildIndex(kept, facts.at, scorer), query), query.threshold)
    expect(screening.scorer_version).toBe(scorer.version)
    const again = (fact: typeof screening) => {
      const report = new Report()
      rescreen(report, month.root, request, { ...facts, screening: fact })
      return report.lines.find(({ check }) => check === "screening")?.state
    }
    expect(again(screening)).toBe("OK")
    expect(again({ ...screening, hit_count: screening.hit_count + 1 })).toBe("INVALID")
    expect(again({ ...screening, parameter_digest: `sha256:${"0".repeat(64)}` })).toBe("UNCHECKED")
  }
})

test("a supplier whose name came from a register is screened again by that name", () => {
  const { request, facts } = month.bundle("gone")
  const { legal_name = "", ...supplier } = request.supplier
  const { uei = "" } = supplier.identifiers
  const board = registerBoard(["US_SAM_ENTITY"], [registered("US_SAM_ENTITY", "uei", uei, legal_name)])
  const registration = lookUpRegistration(board, supplier, instant(facts.at))
  const again = (fact: typeof registration) => {
    const report = new Report()
    rescreen(report, month.root, { ...request, supplier }, { ...facts, registration: fact })
    return report.lines.find(({ check }) => check === "screening")?.state
  }
  expect([again(registration), again(null)]).toEqual(["OK", "INVALID"])
})

test("a second screening includes the wallets of an operation that names them, and none for other operations", () => {
  const { request, facts } = month.bundle("wallet")
  const again = (named: Parameters<typeof rescreenOperation>[3]) => {
    const report = new Report()
    rescreenOperation(report, month.root, { ...request, company: request.supplier }, named)
    return report.lines.find(({ check }) => check === "wallets")?.state
  }
  const { wallet_hits, ...without } = facts
  expect(wallet_hits.payee?.entry_id).toBe("90004")
  const clear = { payee: null, payment_destination: null }
  expect([again(facts), again({ ...facts, wallet_hits: clear }), again(without)]).toEqual(["OK", "INVALID", undefined])
})

describe("a second screening fails when", () => {
  const withCopy = async (change: (snapshots: string) => void) => {
    using copy = freshDirectory()
    cpSync(month.root, join(copy.path, "snapshots"), { recursive: true })
    change(join(copy.path, "snapshots"))
    return await replayed(pathOf("gone"), copy.path)
  }
  const folderOf = (snapshots: string, id: SourceId) => snapshotFolder(snapshots, id, used.get(id) ?? "")

  test("but not when only a copy of the snapshots folder is available", async () => {
    expect(await withCopy(() => {})).toMatchObject({ exit: 0, result: "VALID" })
  })

  test.each<readonly [what: string, change: (snapshots: string) => void, check: string, exit: number]>([
    [
      "a byte of a kept list was changed",
      (s) => edit(join(folderOf(s, SDN), "sdn.csv"), "QUILL", "QUIIL"),
      `bytes of ${SDN}`,
      3,
    ],
    [
      "the parties file beside it was changed",
      (s) => edit(join(folderOf(s, SDN), "parties.json"), "QUILL", "QUIIL"),
      `bytes of ${SDN}`,
      3,
    ],
    [
      "a still screened entry was removed",
      (s) => edit(join(folderOf(s, SDN), "parties.json"), "ZEPHYR", "ZEPPYR"),
      "screening",
      3,
    ],
    [
      "its manifest names another file",
      (s) => edit(join(folderOf(s, SDN), "manifest.json"), "alt.csv", "alx.csv"),
      `bytes of ${SDN}`,
      3,
    ],
    ["a snapshot is not kept", (s) => rmSync(folderOf(s, SDN), { recursive: true }), `bytes of ${SDN}`, 4],
  ])("%s", async (_what, change, check, exit) => {
    const ran = await withCopy(change)
    expect([ran.exit, ran.bad?.map((line) => line.check)]).toEqual([exit, expect.arrayContaining([check])])
  })

  test.each<readonly [what: string, change: (facts: DeliveryBundle["facts"]) => void]>([
    [
      "a suppression that does not fit its entry",
      (facts) => {
        const [hit] = facts.screening.suppressed_hits ?? []
        if (hit) hit.suppression.entry_hash = `sha256:${"0".repeat(64)}`
      },
    ],
    [
      "a judgement that was over",
      (facts) => {
        const [hit] = facts.screening.suppressed_hits ?? []
        if (hit) hit.suppression.expires_at = formatInstant(month.sale - DAY)
      },
    ],
    [
      "a hit that was left out",
      (facts) => {
        delete facts.screening.suppressed_hits
      },
    ],
    [
      "a snapshot id that leads elsewhere",
      (facts) => {
        for (const source of facts.sources) source.snapshot_id = "../../../etc"
      },
    ],
  ])("the facts have %s", async (_what, change) => {
    const changed = month.bundle("judged")
    change(changed.facts)
    const path = month.at("changed.json")
    writeFileSync(path, canonicalize(changed))
    const ran = await replayed(path)
    expect(ran.exit).toBe(3)
    expect(ran.bad?.some(({ check }) => check === "screening" || check.startsWith("bytes of "))).toBe(true)
  })

  test("there is no data directory, and asks for one", async () => {
    expect((await runCommand(replay, [pathOf("gone"), "--rescreen"])).exit).toBe(2)
  })
})

function edit(path: string, what: string, by: string): void {
  const text = readFileSync(path, "latin1")
  if (!text.includes(what)) throw new Error(`${what} is not in ${path}`)
  writeFileSync(path, text.replaceAll(what, by), "latin1")
}
