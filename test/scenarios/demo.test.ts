/** The demo against the compiled file, run as a reader runs it. */
import { expect, test } from "bun:test"
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import packageJson from "../../package.json"
import { PLAIN_ENVIRONMENT } from "../../scripts/plain-environment.ts"
import { compiledBinary, run } from "../fixtures/binary.ts"
import { DEV_KEYS } from "../fixtures/chain.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { readme } from "../fixtures/doc-pages.ts"
import { useKeptDemo } from "../fixtures/kept-demo.ts"
import { LONG } from "../fixtures/long.ts"
import { shellBlocks, shellWords } from "../fixtures/typed-lines.ts"

const ROOT = join(import.meta.dir, "../..")
const DEMO_MS = 60_000
/** The script that `bun run demo` runs. With `bun run` the processes of the demo would be children of a child. */
const SCRIPT = /\S+\.ts$/.exec(packageJson.scripts.demo)?.[0] ?? "package.json names no script"

interface KeptStep {
  readonly name: string
  readonly status: string
  readonly outcome: string
  readonly milliseconds: number
  readonly charged_atomic: string
}

async function demo(
  binary: string,
  scratch: string,
  out: string,
  more: readonly string[] = [],
): Promise<{ exit: number; text: string }> {
  const environment = { ...PLAIN_ENVIRONMENT, TMPDIR: scratch }
  const child = Bun.spawn([process.execPath, join(ROOT, SCRIPT), "--out", out, ...more], {
    cwd: ROOT,
    env: { ...environment, BIZAUTH_BINARY: binary },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: DEMO_MS,
  })
  const [text, errors, exit] = await Promise.all([
    more.includes("--keep") ? useKeptDemo({ child, folder: scratch, environment }) : new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { exit, text: text + errors }
}

/** The flags of the line in README that leaves the demo up. */
function keepFlags(): readonly string[] {
  const line = shellBlocks(readme)
    .flat()
    .find((one) => one.startsWith("bun run demo --"))
  if (line === undefined) throw new Error("README has no line that leaves the demo up")
  return shellWords(line).slice(3)
}

const stepsIn = (out: string) =>
  (JSON.parse(readFileSync(join(out, "story.json"), "utf8")) as { steps: KeptStep[] }).steps

if (compiledBinary === null) console.log("skipped: the whole demo needs a compiled file; name it with BIZAUTH_BINARY")

test.skipIf(compiledBinary === null)(
  "every step of the demo has its stated outcome, six answers are charged, the kept files verify, and the kept server sells one more",
  async () => {
    using folder = freshDirectory()
    const out = join(folder.path, "kept")
    const { exit, text } = await demo(compiledBinary ?? "", folder.path, out, keepFlags())
    expect([exit, exit === 0 ? "" : text]).toEqual([0, ""])
    const steps = stepsIn(out)
    expect(steps.map(({ name, charged_atomic: charged }) => (charged === "0" ? name : `${name} ${charged}`))).toEqual([
      ...["lists", "service", "agent", "buyer", "eligibility", "plan", "quote", "ALLOW 790000"],
      ...["verify", "replay", "recover"],
      ...["BLOCK 790000", "HOLD 790000", "stale source", "reused key"],
      ...["job", "job delivered", "job facts"],
      ...["signed statement", "rotation", "identity bundle", "log audit"],
      ...["company check 40000", "check proven", "passport", "missing source", "UK sources"],
      ...["UK payment 150000", "kept answer", "token redeemed", "UK vendor change 150000", "token revoked"],
    ])
    expect(steps.filter(({ status }) => status !== "OK")).toEqual([])
    const kept = readdirSync(out).sort()
    expect(kept).toEqual([
      ...["bundle.json", "company-check.json", "company-check.json.capsule", "delivery.json", "issuer.jwks.json"],
      ...["passport.json", "request.json", "story.json"],
    ])
    const path = (name: string) => join(out, name)
    for (const document of ["delivery.json", "company-check.json", "passport.json"]) {
      const verified = await run(["verify", path(document), "--issuer", path("issuer.jwks.json")])
      expect([document, verified.exit, verified.err]).toEqual([document, 0, ""])
    }
    expect((await run(["replay", path("bundle.json"), "--issuer", path("issuer.jwks.json")])).exit).toBe(0)
    const written = text + kept.map((name) => readFileSync(path(name), "utf8")).join("")
    for (const secret of ["svc_at_", ...DEV_KEYS.map((key) => key.slice(2))]) expect(written).not.toContain(secret)
    expect(readdirSync(folder.path)).toEqual(["kept"])
  },
  DEMO_MS,
)

const published = process.env["BIZAUTH_LISTS"]
if (published === undefined) console.log("skipped: the demo on published lists needs their folder in BIZAUTH_LISTS")

test.skipIf(compiledBinary === null || published === undefined || !LONG)(
  "on the published SDN list the demo blocks an organisation from that list (BIZAUTH_LONG=1)",
  async () => {
    using folder = freshDirectory()
    const from = join(published ?? "", "us_ofac_sdn", "2021-07-full")
    const own = join(folder.path, "own")
    mkdirSync(join(own, "US_OFAC_SDN"), { recursive: true })
    for (const name of readdirSync(from)) copyFileSync(join(from, name), join(own, "US_OFAC_SDN", name))
    const out = join(folder.path, "kept")
    const { exit, text } = await demo(compiledBinary ?? "", folder.path, out, ["--data-dir", own])
    expect([exit, exit === 0 ? "" : text]).toEqual([0, ""])
    const blocked = stepsIn(out).find(({ name }) => name === "BLOCK")
    const name = /supplier "([A-Z ]+)"/.exec(blocked?.outcome ?? "")?.[1] ?? "none"
    expect(readFileSync(join(from, "sdn.csv"), "latin1")).toContain(`"${name}"`)
  },
  DEMO_MS,
)

test(
  "the demo exits with 1 when a step has the wrong outcome, prints the failed step and leaves no files",
  async () => {
    using folder = freshDirectory()
    const out = join(folder.path, "kept")
    const broken = join(folder.path, "broken")
    writeFileSync(broken, "#!/bin/sh\necho broken >&2\nexit 3\n", { mode: 0o700 })
    const { exit, text } = await demo(broken, folder.path, out)
    expect([exit, text]).toEqual([1, expect.stringContaining("ended with 3: broken")])
    expect(stepsIn(out)).toMatchObject([{ name: "lists", status: "FAILED", charged_atomic: "0" }])
    expect(readdirSync(folder.path).sort()).toEqual(["broken", "kept"])
    expect(existsSync(join(out, "delivery.json"))).toBe(false)
  },
  DEMO_MS,
)
