import { expect, test } from "bun:test"
import { chmodSync, existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { run, serve } from "../fixtures/binary.ts"
import { freshDirectory } from "../fixtures/directories.ts"

interface Listed {
  kid: string
  status: string
  created_at: string
  revoked_since: string | null
}

async function listed(data: string): Promise<Listed[]> {
  return JSON.parse((await run(["keys", "list", "--json", "--data", data])).out).keys
}

async function exported(data: string, ...flags: string[]): Promise<Record<string, unknown>[]> {
  return JSON.parse((await run(["keys", "export", "--data", data, ...flags])).out).keys
}

test("rotation makes a new ACTIVE key and keeps publishing the old one as ROTATED", async () => {
  using fresh = freshDirectory()
  const data = join(fresh.path, "data")
  await run(["init", "--data", data])
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

test("the file of a ROTATED key may be deleted, but not be left open to others", async () => {
  using fresh = freshDirectory()
  const data = join(fresh.path, "data")
  await run(["init", "--data", data])
  const [first] = await listed(data)
  await run(["keys", "rotate", "--data", data])
  const file = join(data, "keys", `${first?.kid}.json`)
  chmodSync(file, 0o644)
  expect((await run(["keys", "list", "--data", data])).exit).toBe(7)
  rmSync(file)
  expect((await run(["keys", "list", "--data", data])).exit).toBe(0)
})

test("revoking the ACTIVE key replaces it and takes it out of the public set", async () => {
  using fresh = freshDirectory()
  const data = join(fresh.path, "data")
  await run(["init", "--data", data])
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

test("a revocation that cannot be meant changes nothing", async () => {
  using fresh = freshDirectory()
  const data = join(fresh.path, "data")
  await run(["init", "--data", data])
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

test("a running server publishes a key that another process rotated in", async () => {
  using fresh = freshDirectory()
  const data = join(fresh.path, "data")
  await run(["init", "--data", data])
  await using server = await serve(data)
  const kids = async () => {
    const { keys } = (await (await fetch(`${server.origin}/.well-known/jwks.json`)).json()) as { keys: Listed[] }
    return keys.map(({ kid }) => kid)
  }
  expect(await kids()).toHaveLength(1)
  await run(["keys", "rotate", "--data", data])
  const deadline = Date.now() + 5000
  while ((await kids()).length < 2 && Date.now() < deadline) await Bun.sleep(100)
  expect((await kids()).sort()).toEqual((await listed(data)).map(({ kid }) => kid).sort())
  expect(existsSync(join(data, "keys", "quote-hmac.key"))).toBe(true)
})
