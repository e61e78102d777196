/** A machine without a network: lists arrive on removable media, and only with the signature of the operator's other machine. Black box. */
import { expect, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { REQUIRED_US_SOURCES } from "../../src/sources/records/party.ts"
import { run, serve } from "../fixtures/binary.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { type SampleOptions, writeSampleLists } from "../fixtures/sample-lists.ts"

const SDN = "US_OFAC_SDN"
const HOUR = 3_600_000

test("signed snapshots cross the air gap unchanged, a changed one is rejected, and an old one never counts as fresh", async () => {
  using fresh = freshDirectory()
  const at = (...names: string[]) => join(fresh.path, ...names)
  const [outside, inside, key] = [at("outside"), at("inside"), at("snapshots.key")]
  for (const data of [outside, inside])
    expect((await run(["init", "--data", data, "--environment", "test"])).exit).toBe(0)
  const made = await run(["sources", "keygen", "--out", key, "--json"])
  const pinned = { BIZAUTH_SOURCE_MANIFEST_KEYS: JSON.parse(made.out).x as string }
  const offline = (...args: string[]) => run(args, { environment: { ...pinned, BIZAUTH_DATA: inside } })

  /** The lists of a day, imported outside and exported to the removable media. */
  async function stick(name: string, options: SampleOptions, ...signing: string[]): Promise<(id: string) => string> {
    mkdirSync(at(name))
    const folders = writeSampleLists(at(`${name}-lists`), options)
    for (const id of REQUIRED_US_SOURCES) {
      expect((await run(["sources", "import", id, folders[id], "--data", outside])).exit).toBe(0)
      const out = ["--out", at(name, `${id}.tar`), "--data", outside]
      expect((await run(["sources", "export", id, ...out, ...signing])).exit).toBe(0)
    }
    return (id) => at(name, `${id}.tar`)
  }
  const health = async () => {
    const { sources } = JSON.parse((await offline("sources", "status", "--json")).out)
    const rows = sources as { source_id: string; health: string; snapshot: { retrieved_at: string } | null }[]
    return Object.fromEntries(
      rows
        .filter(({ source_id }) => REQUIRED_US_SOURCES.some((id) => id === source_id))
        .map(({ source_id, health: state, snapshot }) => [source_id, [state, snapshot?.retrieved_at ?? null]]),
    )
  }
  const time = (ms: number) => new Date(ms).toISOString()

  const old = Math.floor((Date.now() - 5 * 24 * HOUR) / 1000) * 1000
  const recent = Math.floor((Date.now() - 2 * HOUR) / 1000) * 1000
  const oldStick = await stick("old", { publishedAt: old }, "--key", key)
  const extraSdn = [{ number: 90101, name: "ZEPHYR MARLOWE SYNDICATE", programs: ["SDGT"] }]
  const newStick = await stick("new", { publishedAt: recent, extraSdn, edition: "second" }, "--key", key)
  const strangerKey = at("stranger.key")
  expect((await run(["sources", "keygen", "--out", strangerKey])).exit).toBe(0)

  // Five days old on arrival: imported, and stale from the first moment.
  for (const id of REQUIRED_US_SOURCES) expect((await offline("sources", "import", id, oldStick(id))).exit).toBe(0)
  const before = Object.fromEntries(REQUIRED_US_SOURCES.map((id) => [id, ["STALE", time(old)]]))
  expect(await health()).toEqual(before)

  // An archive that differs from what the key signed is rejected, with its own error.
  const refusals: readonly (readonly [path: string, exit: number, says: string])[] = [
    [await altered(newStick(SDN), at("tampered.tar"), "VOSTOK", "VOSTOC"), 3, "CORRUPT"],
    [
      await altered(
        newStick(SDN),
        at("redated.tar"),
        `"retrieved_at": "${time(recent)}"`,
        `"retrieved_at": "${time(recent + HOUR)}"`,
      ),
      3,
      "SIGNATURE_INVALID",
    ],
    [await exported(strangerKey, at("stranger.tar")), 3, "UNSIGNED"],
    [await exported(null, at("unsigned.tar")), 3, "UNSIGNED"],
    [at("new-lists", SDN), 3, "UNSIGNED"],
    [await cut(newStick(SDN), at("cut.tar")), 4, "end mark"],
  ]
  for (const [path, exit, says] of refusals) {
    const ran = await offline("sources", "import", SDN, path)
    expect([path, ran.exit, (ran.out + ran.err).includes(says)]).toEqual([path, exit, true])
  }
  expect(await health()).toEqual(before)

  await using server = await serve(inside, [], { environment: pinned })
  for (const id of REQUIRED_US_SOURCES) {
    expect((await offline("sources", "verify", newStick(id), "--key", `${key}.pub`)).exit).toBe(0)
    expect((await offline("sources", "import", id, newStick(id))).exit).toBe(0)
  }
  const now = Object.fromEntries(REQUIRED_US_SOURCES.map((id) => [id, ["HEALTHY", time(recent)]]))
  expect(await health()).toEqual(now)
  await taken(server.origin, time(recent))
  const hit = await offline("screen", "Zephyr Marlowe Syndicate", "--type", "org", "--json")
  expect([hit.exit, JSON.parse(hit.out).state]).toEqual([0, "MATCH"])

  // An archive of last week is rejected, and the active lists stay as they are.
  const late = await offline("sources", "import", SDN, oldStick(SDN))
  expect([late.exit, late.out.includes("OLDER_THAN_ACTIVE")]).toEqual([3, true])
  expect(await health()).toEqual(now)
  for (const id of REQUIRED_US_SOURCES) expect((await offline("sources", "verify", id)).exit).toBe(0)

  async function exported(signer: string | null, out: string): Promise<string> {
    const ran = await run([
      "sources",
      "export",
      SDN,
      "--out",
      out,
      "--data",
      outside,
      ...(signer === null ? [] : ["--key", signer]),
    ])
    expect(ran.exit).toBe(0)
    return out
  }
}, 60_000)

/** The same archive with equally long bytes exchanged: its headers and sizes still fit. */
async function altered(from: string, to: string, what: string, by: string): Promise<string> {
  const bytes = readFileSync(from)
  const at = bytes.indexOf(what)
  if (at < 0 || what.length !== by.length) throw new Error(`${what} is not there`)
  bytes.write(by, at)
  writeFileSync(to, bytes)
  return to
}

async function cut(from: string, to: string): Promise<string> {
  const bytes = readFileSync(from)
  writeFileSync(to, bytes.subarray(0, bytes.length - 1024))
  return to
}

/** The running service has taken all four lists of that time into use. */
async function taken(origin: string, retrievedAt: string): Promise<void> {
  for (const end = performance.now() + 8000; performance.now() < end; await Bun.sleep(150)) {
    const answer = (await (await fetch(`${origin}/v1/us/federal/source-health`)).json()) as {
      sources: { health: string; retrieved_at: string }[]
    }
    if (answer.sources.every((one) => one.health === "HEALTHY" && one.retrieved_at === retrievedAt)) return
  }
  throw new Error("the lists were not taken up")
}
