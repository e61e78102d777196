import { expect, setDefaultTimeout, test } from "bun:test"
import { hash } from "node:crypto"
import { chmodSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { initialised, run, serve } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"

/** Each test starts several processes, on a machine that may be busy. */
setDefaultTimeout(60_000)

interface Listed {
  kid: string
  status: string
  created_at: string
  revoked_since: string | null
}

async function listed(data: string): Promise<Listed[]> {
  return JSON.parse((await run(["keys", "list", "--use", "statement", "--json", "--data", data])).out).keys
}

interface ListedOfAll extends Listed {
  use: string
  agent_id: string
  fingerprint: string
}

async function listedAll(data: string): Promise<ListedOfAll[]> {
  return JSON.parse((await run(["keys", "list", "--json", "--data", data])).out).keys
}

async function exported(data: string, ...flags: string[]): Promise<Record<string, unknown>[]> {
  return JSON.parse((await run(["keys", "export", "--data", data, ...flags])).out).keys
}

test("a rotation creates a new ACTIVE key and keeps publishing the old one as ROTATED", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const [first] = await listed(data)
  expect((await run(["keys", "rotate", "--data", data])).exit).toBe(0)
  expect((await listed(data)).map(({ status }) => status).sort()).toEqual(["ACTIVE", "ROTATED"])
  const set = await exported(data)
  expect(set.find((key) => key["kid"] === first?.kid)?.["svc_status"]).toBe("ROTATED")
  for (const key of set) {
    expect(Object.keys(key).sort()).toEqual(
      ["alg", "crv", "exp", "kid", "kty", "nbf", "svc_status", "svc_use", "use", "x"].sort(),
    )
  }
})

test("the file of a ROTATED key may be deleted, but may not be readable by others", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const [first] = await listed(data)
  await run(["keys", "rotate", "--data", data])
  const file = join(data, "keys", `${first?.kid}.json`)
  chmodSync(file, 0o644)
  expect((await run(["keys", "list", "--data", data])).exit).toBe(7)
  rmSync(file)
  expect((await run(["keys", "list", "--data", data])).exit).toBe(0)
})

test("revoking the ACTIVE key replaces it and removes it from the public set", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const [first] = await listed(data)
  const kid = first?.kid ?? ""
  const revoked = await run(["keys", "revoke", kid, "--data", data, "--since", first?.created_at ?? ""])
  expect(revoked.exit).toBe(0)
  expect((await exported(data)).map((key) => key["kid"])).not.toContain(kid)
  const all = await exported(data, "--with-revoked")
  expect(all.find((key) => key["kid"] === kid)).toMatchObject({
    svc_status: "REVOKED",
    svc_revoked_since: first?.created_at,
  })
  expect(all.filter((key) => key["svc_status"] === "ACTIVE").length).toBe(1)
  expect((await run(["keys", "revoke", kid, "--data", data])).exit).toBe(3)
})

test("an invalid revocation changes nothing", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const [first] = await listed(data)
  const files = readdirSync(join(data, "keys"), { recursive: true })
  const rows: readonly [args: string[], exit: number][] = [
    [["ed25519-unknown"], 5],
    [[first?.kid ?? "", "--since", "2020-01-01T00:00:00Z"], 2],
    [[first?.kid ?? "", "--since", "2999-01-01T00:00:00Z"], 2],
    [[first?.kid ?? "", "--since", "yesterday"], 2],
  ]
  for (const [args, exit] of rows) expect((await run(["keys", "revoke", ...args, "--data", data])).exit).toBe(exit)
  expect(await listed(data)).toEqual(first ? [first] : [])
  expect(readdirSync(join(data, "keys"), { recursive: true })).toEqual(files)
})

test("a running server publishes a key that another process rotated", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  await using server = await serve(data)
  const kids = async () => {
    const { keys } = (await (await fetch(`${server.origin}/.well-known/jwks.json`)).json()) as { keys: Listed[] }
    return keys.map(({ kid }) => kid)
  }
  expect(await kids()).toHaveLength(1)
  await run(["keys", "rotate", "--data", data])
  const deadline = Date.now() + 20_000
  while ((await kids()).length < 2 && Date.now() < deadline) await Bun.sleep(250)
  expect((await kids()).sort()).toEqual((await listed(data)).map(({ kid }) => kid).sort())
  expect(existsSync(join(data, "keys", "quote-hmac.key"))).toBe(true)
})

test("keys list shows every use with its Agent ID, as text and as JSON", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const all = await listedAll(data)
  expect(all.map(({ use, status }) => [use, status])).toEqual([
    ["statement", "ACTIVE"],
    ["log", "ACTIVE"],
    ["sandbox", "ACTIVE"],
  ])
  const { out } = await run(["keys", "list", "--data", data])
  for (const { use, kid, agent_id, fingerprint } of all) {
    expect(out).toContain(`${use}  ${agent_id}\n`)
    expect(out).toContain(`${kid}  ACTIVE `)
    expect(out).toContain(`SHA-256 ${fingerprint}\n`)
  }
  const ids = await run(["keys", "export", "--agent-ids", "--data", data])
  expect(ids.out.trim().split("\n").sort()).toEqual(all.map(({ use, agent_id }) => `${use} ${agent_id}`).sort())
  expect((await run(["keys", "list", "--use", "logs", "--data", data])).exit).toBe(2)
})

test("each use is rotated separately, and the previously committed key becomes active", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const promised = readdirSync(join(data, "keys", "next"))
  const before = await listedAll(data)
  for (const use of ["log", "sandbox"]) {
    expect((await run(["keys", "rotate", "--use", use, "--data", data])).exit).toBe(0)
  }
  const after = await listedAll(data)
  const active = after.filter(({ status }) => status === "ACTIVE")
  expect(active).toHaveLength(3)
  expect(after.filter(({ status }) => status === "ROTATED").map(({ use }) => use)).toEqual(["log", "sandbox"])
  for (const { use, kid, agent_id } of active) {
    expect(before.find((key) => key.use === use)?.agent_id).toBe(agent_id)
    if (use !== "statement") expect(promised).toContain(`${kid}.json`)
  }
})

test("with its recovery key offline, the server runs, a routine rotation works, and a revocation asks for the key file", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const offline = join(fresh.path, "stick")
  renameSync(join(data, "keys", "recovery"), offline)
  await using server = await serve(data)
  expect((await fetch(`${server.origin}/readyz`)).status).toBe(200)
  expect((await run(["keys", "rotate", "--data", data])).exit).toBe(0)

  const active = (await listed(data)).find(({ status }) => status === "ACTIVE")?.kid ?? ""
  const files = readdirSync(join(data, "keys"), { recursive: true })
  const refused = await run(["keys", "revoke", active, "--data", data])
  expect(refused.exit).toBe(7)
  expect(refused.err).toContain("is missing. The recovery key is needed: bring it back")
  expect(readdirSync(join(data, "keys"), { recursive: true })).toEqual(files)

  const right = /(ed25519-[^/]+\.json) is missing/.exec(refused.err)?.[1] ?? ""
  const revoke = (name: string) =>
    run(["keys", "revoke", active, "--recovery-key", join(offline, name), "--data", data])
  const others = readdirSync(offline).filter((name) => name !== right)
  expect(others).toHaveLength(2)
  for (const name of others) {
    const { exit, err } = await revoke(name)
    expect([exit, err]).toEqual([7, expect.stringContaining("is not the recovery key of the statement identity")])
  }
  expect((await revoke(right)).exit).toBe(0)
  expect((await listed(data)).find(({ kid }) => kid === active)?.status).toBe("REVOKED")
})

test("after every command the published key set and the statement identity name the same key", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const [{ agent_id: agentId = "" } = {}] = await listedAll(data)
  await using server = await serve(data)
  const kidsOf = async (path: string) => {
    const { keys } = (await (await fetch(server.origin + path)).json()) as {
      keys: { kid: string; svc_status?: string }[]
    }
    return keys.filter(({ svc_status: status }) => status === undefined || status === "ACTIVE").map(({ kid }) => kid)
  }
  const requireInStep = async () => {
    const active = (await listed(data)).filter(({ status }) => status === "ACTIVE").map(({ kid }) => kid)
    const deadline = Date.now() + 20_000
    while ((await kidsOf("/.well-known/jwks.json"))[0] !== active[0] && Date.now() < deadline) await Bun.sleep(250)
    expect(await kidsOf("/.well-known/jwks.json")).toEqual(active)
    expect(await kidsOf(`/v1/agent-identities/${agentId}/jwks.json`)).toEqual(active)
    return active[0] ?? ""
  }
  const first = await requireInStep()
  const commands: (() => string[])[] = [
    () => ["keys", "rotate"],
    () => ["keys", "revoke", first],
    () => ["keys", "rotate", "--use", "log"],
    () => ["keys", "revoke", second],
    () => ["keys", "rotate"],
    () => ["keys", "list"],
    () => ["keys", "export"],
  ]
  let second = first
  for (const command of commands) {
    expect((await run([...command(), "--data", data])).exit).toBe(0)
    second = await requireInStep()
  }
})

test("the log's verifier key is exported under the name from init, and only the statement key set is exported as a set", async () => {
  using fresh = freshDirectory()
  const data = join(fresh.path, "data")
  await run(["init", "--data", data, "--environment", "test", "--base-url", "https://svc.example"])
  const { out, exit } = await run(["keys", "export", "--use", "log", "--data", data])
  expect([exit, out]).toEqual([
    0,
    expect.stringMatching(/^svc\.example\/agent-id\/log\/1\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}\n$/),
  ])
  const log = (await listedAll(data)).find(({ use }) => use === "log")
  const publicKey = Buffer.from(out.trim().split("+").slice(2).join("+"), "base64").subarray(1)
  expect(hash("sha256", publicKey, "hex")).toBe(log?.fingerprint.replaceAll(":", "") ?? "")
  const wrong = [
    ["--use", "sandbox"],
    ["--use", "log", "--with-revoked"],
    ["--agent-ids", "--with-revoked"],
  ]
  for (const flags of wrong) expect((await run(["keys", "export", ...flags, "--data", data])).exit).toBe(2)
})

test("after the signing key's file is lost, no command works until the recovery key installs a new one", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const [first] = await listed(data)
  rmSync(join(data, "keys", `${first?.kid}.json`))
  const refused = await run(["keys", "rotate", "--data", data])
  expect([refused.exit, refused.err]).toEqual([
    7,
    expect.stringContaining("keys rotate --use statement --recovery-key FILE"),
  ])
  const recovery = readdirSync(join(data, "keys", "recovery"))
  const exits: number[] = []
  for (const name of recovery) {
    const flags = ["--recovery-key", join(data, "keys", "recovery", name), "--data", data]
    exits.push((await run(["keys", "rotate", "--use", "statement", ...flags])).exit)
  }
  expect(exits.sort()).toEqual([0, 7, 7])
  expect((await listed(data)).map(({ status }) => status)).toEqual(["ROTATED", "ACTIVE"])
})
