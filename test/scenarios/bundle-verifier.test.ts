/** The shipped verifiers: module and page that a server hands out are built from this source, and the command gives the same verdicts. */
import { expect, setDefaultTimeout, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { verifyBundle } from "../../src/offline/kinds/identity/verify-bundle.ts"
import { publishedModule } from "../../src/offline/module/published-module.ts"
import { bundledScript } from "../../src/pages/bundled-script.ts"
import { judge } from "../../src/pages/verify/judge.ts"
import { FILES, WHILE_VALID } from "../cli/documents/verified-files.ts"
import { initialised, run, serve } from "../fixtures/binary.ts"
import { bundleCases } from "../fixtures/bundle-cases.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { givenByLine } from "../pages/verify/command-line.ts"

setDefaultTimeout(30_000)

test("verifier.mjs is the module of this source, cached by its content and readable from any origin", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  await using server = await serve(data)
  const uri = `${server.origin}/v1/agent-id/verifier.mjs`
  const answer = await fetch(uri)
  expect(answer.status).toBe(200)
  expect(await answer.text()).toBe(publishedModule())
  const { headers } = answer
  expect(headers.get("content-type")).toBe("text/javascript")
  expect(headers.get("x-content-type-options")).toBe("nosniff")
  expect(headers.get("access-control-allow-origin")).toBe("*")
  const etag = headers.get("etag") ?? ""
  expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
  expect((await fetch(uri, { headers: { "if-none-match": etag } })).status).toBe(304)
  const page = await (await fetch(`${server.origin}/verify`)).text()
  expect(page.includes(`<script>${bundledScript("src/pages/verify/script.ts")}</script>`)).toBe(true)
})

test("the page gives the words and the exit codes of the command", async () => {
  using fresh = freshDirectory()
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(fresh.path, name), content)
  for (const [line, exit] of [
    ["bundle.json --issuer jwks.json --request request.json --require RELEASE_PAYMENT --environment test", 0],
    ["review.json --issuer jwks.json --capsule capsule.json", 3],
    ["delivery.json --issuer request.json", 4],
    ["conditional.json --issuer jwks.json --require RELEASE_PAYMENT --environment test", 9],
    ["passport.json --issuer jwks.json --require CONTINUE", 2],
  ] as const) {
    const words = `${line} --at ${WHILE_VALID}`
    const ran = await run(["verify", ...words.split(" ")], { cwd: fresh.path })
    const shown = await judge(givenByLine(words, FILES), Date.now())
    expect([line, ran.exit, ran.out + ran.err]).toEqual([line, exit, shown.text])
    expect(shown.exit).toBe(exit)
  }
})

test("the command gives every row the verdict of the source, and exit 0, 3 or 4 with it", async () => {
  using fresh = freshDirectory()
  const exits = { VALID: 0, INVALID: 3, NOT_CHECKED: 4 } as const
  for (const { name, text, options, result } of await bundleCases()) {
    const { logKey, at, maxAge, since, requireActive, reformatted } = options
    const [bundle, remembered] = [join(fresh.path, "bundle.json"), join(fresh.path, "remembered")]
    writeFileSync(bundle, text)
    writeFileSync(remembered, since ?? "")
    const flags = [
      ...(logKey === undefined ? [] : [`--log-key=${logKey}`]),
      ...(at === undefined ? [] : [`--at=${at}`]),
      ...(maxAge === undefined ? [] : [`--max-age=${maxAge}`]),
      ...(since === undefined ? [] : [`--since=${remembered}`]),
      ...(requireActive ? ["--require-active"] : []),
      ...(reformatted ? ["--reformatted"] : []),
    ]
    const ran = await run(["agent", "verify-bundle", bundle, ...flags, "--json"])
    expect([name, ran.exit, JSON.parse(ran.out)]).toEqual([
      name,
      exits[result],
      JSON.parse(JSON.stringify(await verifyBundle(text, options))),
    ])
  }
})

test("a bundle fetched from a server can be verified after the server has gone, also across a rotation of both service keys", async () => {
  using fresh = freshDirectory()
  const data = await initialised(fresh.path)
  const keys = join(fresh.path, "agent.json")
  expect((await run(["agent", "keygen", "--out", keys])).exit).toBe(0)
  const files: string[] = []
  await using server = await serve(data)
  const enrolled = await run(["agent", "enroll", "--keys", keys, "--server", server.origin, "--json"])
  const { agent_id } = JSON.parse(enrolled.out) as { agent_id: string }
  const save = async (name: string) => {
    const file = join(fresh.path, name)
    writeFileSync(file, await (await fetch(`${server.origin}/v1/agent-identities/${agent_id}/export`)).text())
    files.push(file)
  }
  const descriptor = (await (await fetch(`${server.origin}/v1/agent-id/log`)).json()) as { verifier_keys: string[] }
  const pinned = descriptor.verifier_keys[0] ?? ""
  await save("before.json")
  for (const use of ["statement", "log"]) {
    expect((await run(["keys", "rotate", "--data", data, "--use", use])).exit).toBe(0)
  }
  await save("after.json")
  await server.kill()
  for (const [file, said] of [
    [files[0], "LOG_KEY           the log's key is the pinned one"],
    [files[1], "LOG_KEY           ROTATED_SINCE_PINNED"],
  ] as const) {
    const { exit, out } = await run(["agent", "verify-bundle", file ?? "", "--log-key", pinned, "--max-age", "600"])
    expect([exit, out]).toEqual([0, expect.stringContaining(said)])
  }
  const replayed = await run(["agent", "verify-bundle", files[0] ?? "", "--log-key", pinned, "--since", files[1] ?? ""])
  expect([replayed.exit, replayed.out]).toEqual([3, expect.stringContaining("OLDER_THAN_REMEMBERED")])
})
