/**
 * docs/upgrade.md, typed: from the compiled file of the commit before to the one of this commit and back. If both have the same schema, the new file has one
 * migration more, so that there is something to migrate and to take back.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { checkedOut, commitBefore, compiled } from "../../fixtures/built-release.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { sourceText } from "../../fixtures/imports.ts"
import { REQUESTED } from "../../fixtures/long.ts"
import { writeSampleLists } from "../../fixtures/sample-lists.ts"

setDefaultTimeout(600_000)

const WHY =
  commitBefore === null ? "no commit before, or one with other packages" : REQUESTED ? null : "BIZAUTH_LONG=1 runs it"
const DATA = "/var/lib/bizauth/data"
const EXTRA = "9999_next_release"

/** The lines of a step. */
function linesOf(step: number): readonly string[] {
  const [, text = ""] = sourceText("docs/upgrade.md").split(new RegExp(`^## ${step}\\. .*$`, "m"))
  const [, block = ""] = /^```console\n([\s\S]*?)^```/m.exec(text) ?? []
  return block.trim().split("\n")
}

test("every step of the page has commands", () => {
  for (const step of [1, 2, 3, 4, 5]) expect([step, linesOf(step).length > 1]).toEqual([step, true])
})

describe.skipIf(WHY !== null)(`an upgrade and back${WHY === null ? "" : ` (NOT RUN: ${WHY})`}`, () => {
  const fresh = freshDirectory()
  const at = (...names: string[]) => join(fresh.path, ...names)
  const environment = { PATH: `${at("usr/local/bin")}:${process.env["PATH"]}`, HOME: fresh.path, NO_COLOR: "1" }
  let service: Service | null = null
  let migration = ""
  let keyBefore = ""

  beforeAll(() => {
    checkedOut(commitBefore, at("before"))
    checkedOut(null, at("after"))
    const [old, own] = [migrationsIn(at("before")), migrationsIn(at("after"))]
    if (old.length === own.length) addMigration(at("after"))
    migration = migrationsIn(at("after"))[old.length] ?? ""
    mkdirSync(at("bizauth-1.1.0-linux-x64"))
    copyFileSync(compiled(at("after")), at("bizauth-1.1.0-linux-x64/bizauth"))
    for (const folder of ["usr/local/bin", "var/lib/bizauth", "var/backups/bizauth"])
      mkdirSync(at(folder), { recursive: true })
    copyFileSync(compiled(at("before")), at("usr/local/bin/bizauth"))
    chmodSync(at("usr/local/bin/bizauth"), 0o755)
    expect(
      Bun.spawnSync(["tar", "-czf", "bizauth-1.1.0-linux-x64.tar.gz", "bizauth-1.1.0-linux-x64"], { cwd: fresh.path })
        .exitCode,
    ).toBe(0)
    writeFileSync(at("passphrase"), "a passphrase of many words\n", { mode: 0o600 })
    writeSampleLists(at("lists"), { publishedAt: Date.now() })
    type(`bizauth init --data ${DATA} --environment test`)
    for (const list of readdirSync(at("lists"))) type(`bizauth sources import ${list} ./lists/${list} --data ${DATA}`)
    keyBefore = keyNow()
  })
  afterAll(async () => {
    await service?.stop()
    fresh[Symbol.dispose]()
  })

  const placed = (line: string) => line.replaceAll(/(^| )\/(var|usr)\//g, `$1${fresh.path}/$2/`)
  function type(line: string, exit = 0): string {
    const ran = Bun.spawnSync(["sh", "-c", placed(line)], { cwd: fresh.path, env: environment, stderr: "pipe" })
    expect([line, ran.exitCode, ran.exitCode === exit ? "" : ran.stderr.toString()]).toEqual([line, exit, ""])
    return ran.stdout.toString()
  }
  const keyNow = () => JSON.parse(type(`bizauth keys list --data ${DATA} --json`)).keys[0].kid as string
  /** In the place of the unit that systemd would start and stop. */
  async function typeAll(step: number): Promise<string[]> {
    const shown: string[] = []
    for (const line of linesOf(step)) {
      if (line === "systemctl stop bizauth") await service?.stop()
      else if (line === "systemctl start bizauth") service = await started(at("var/lib/bizauth/data"), environment)
      else shown.push(type(line))
    }
    return shown
  }

  test("step 1: the new file says what it would change, beside the running service, and changes nothing", async () => {
    service = await started(at("var/lib/bizauth/data"), environment)
    const shown = (await typeAll(1)).join("")
    expect(shown).toContain(`applies  ${migration}: `)
    expect(shown).toContain("copies   the database first")
    expect(keyNow()).toBe(keyBefore)
  })

  test("step 2: the backup of the old file is one that the new file opens", async () => {
    expect((await typeAll(2)).join("")).toContain(`applies  ${migration}: `)
  })

  test("steps 3 and 4: the new file migrates after a copy, and the service answers with what it had", async () => {
    expect(await service?.migrated()).toEqual([])
    await typeAll(3)
    expect(await service?.migrated()).toContain(migration)
    expect(readdirSync(at("var/lib/bizauth/data")).filter((name) => name.includes(".before-")).length).toBe(1)
    expect((await service?.ask("/livez"))?.status).toBe(200)
    await typeAll(4)
    expect(keyNow()).toBe(keyBefore)
    expect(type(`bizauth sources status --data ${DATA}`)).toContain("US_OFAC_SDN")
    expect(type(`bizauth-1.1.0-linux-x64/bizauth upgrade check ${DATA}`)).toContain("changes  nothing")
    expect(type(`bizauth-1.0.0 keys list --data ${DATA}`, 7)).toBe("")
  })

  test("step 5: the old file serves the database of before, and the newer one is kept", async () => {
    await typeAll(5)
    expect(await service?.migrated()).toEqual([])
    expect((await service?.ask("/livez"))?.status).toBe(200)
    expect(keyNow()).toBe(keyBefore)
    expect(type(`bizauth sources status --data ${DATA}`)).toContain("US_OFAC_SDN")
    expect(type(`bizauth-1.1.0-linux-x64/bizauth upgrade check ${DATA}`)).toContain(`applies  ${migration}: `)
    const kept = readdirSync(at("var/lib/bizauth/data")).filter((name) => name.includes(".replaced-"))
    expect(kept.length).toBeGreaterThan(0)
  })
})

interface Service {
  ask(path: string): Promise<Response>
  /** Names of the migrations that this start applied. */
  migrated(): Promise<string[]>
  stop(): Promise<void>
}

async function started(data: string, environment: Readonly<Record<string, string>>): Promise<Service> {
  const child = Bun.spawn(["bizauth", "serve", "--data", data, "--listen", "127.0.0.1:0"], {
    env: environment,
    stdout: "pipe",
    stderr: "pipe",
  })
  let log = ""
  const reading = (async () => {
    for await (const chunk of child.stderr) log += new TextDecoder().decode(chunk)
  })()
  const first = await child.stdout.getReader().read()
  const [, origin] = /^listening (\S+)\n/.exec(new TextDecoder().decode(first.value)) ?? []
  if (origin === undefined) {
    await reading
    throw new Error(log)
  }
  return {
    ask: (path) => fetch(`${origin}${path}`),
    migrated: async () =>
      log
        .split("\n")
        .filter((line) => line.includes('"event":"migrated"'))
        .map((line) => JSON.parse(line).name as string),
    stop: async () => {
      child.kill("SIGTERM")
      await child.exited
      await reading
    },
  }
}

function migrationsIn(tree: string): readonly string[] {
  return readdirSync(join(tree, "db/migrations"))
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name) => name.replace(/\.sql$/, ""))
}

/** Adds a migration as a release would. */
function addMigration(tree: string): void {
  writeFileSync(
    join(tree, "db/migrations", `${EXTRA}.sql`),
    "-- What the next release keeps.\nCREATE TABLE next_release (id INTEGER PRIMARY KEY) STRICT;\n",
  )
  const table = join(tree, "db/migrations.ts")
  const text = readFileSync(table, "utf8")
  const [, ordinal = ""] = [...text.matchAll(/\{ ordinal: (\d+),/g)].at(-1) ?? []
  const row = `  { ordinal: ${Number(ordinal) + 1}, name: "${EXTRA}", sql: nextRelease },\n]`
  const loaded = `import nextRelease from "./migrations/${EXTRA}.sql" with { type: "text" }\n`
  writeFileSync(table, `${loaded}${text.replace(/^\]/m, row)}`)
}
