/** The texts of the client module: what they import, how large they are, and that the types describe what is there. */
import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type * as declared from "../../../src/agent/module/client.d.ts"
import type * as made from "../../../src/agent/module/module.ts"
import { SHARED } from "../../../src/agent/module/shared-schemas.ts"
import { publishedClient } from "../../../src/discovery/published-client.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { ROOT } from "../../fixtures/imports.ts"

/** The client without the verifier. Its users read it. */
const CLIENT_CHARACTERS_MAX = 120_000

const { client, verifier, types } = publishedClient()

test(`the client has at most ${CLIENT_CHARACTERS_MAX} bytes`, () => {
  expect(new TextEncoder().encode(client).length).toBeLessThanOrEqual(CLIENT_CHARACTERS_MAX)
})

test("the client imports only the verifier beside it, the verifier imports nothing, and neither needs Node or Bun", () => {
  const importsOf = (text: string) => [
    ...new Set(
      [...text.matchAll(/^\s*(?:import|export)\b[^\n]*from\s*"([^"]*)"|\bimport\(/gm)].map(([, from]) => from),
    ),
  ]
  expect(importsOf(client)).toEqual(["./verifier.mjs"])
  expect(importsOf(verifier)).toEqual([])
  for (const text of [client, verifier]) {
    expect(text).not.toMatch(
      /\bBuffer\b|\brequire\(|\beval\(|\bnew Function\b|\bBun\.|\bprocess\.|XMLHttpRequest|WebSocket/,
    )
    expect(text).not.toContain(ROOT)
  }
  expect(verifier).not.toMatch(/\bfetch\(/)
})

test("each schema that several contain is in the client once", () => {
  const named = [...client.matchAll(/"\$ref":"(\w+)"/g)].map(([, name = ""]) => name)
  const unknown = named.filter((name) => !Object.hasOwn(SHARED, name))
  expect([named.length > 50, unknown]).toEqual([true, []])
  expect(client.split(`"format":"date-time"`).length).toBe(2)
})

test("the texts do not depend on the directory in which they are made", () => {
  using elsewhere = freshDirectory()
  const file = join(elsewhere.path, "print.ts")
  const from = JSON.stringify(join(ROOT, "src/discovery/published-client.ts"))
  writeFileSync(file, `import { publishedClient } from ${from}; console.log(JSON.stringify(publishedClient()))`)
  const printed = Bun.spawnSync([process.execPath, file], { cwd: elsewhere.path, stdout: "pipe" })
  expect(JSON.parse(printed.stdout.toString())).toEqual({ client, verifier, types })
})

/** Compiles only if the module has what the types declare. */
const asDeclared = (module: typeof made): Omit<typeof declared, "ClientError"> => module

test("the module exports exactly what its types declare", async () => {
  expect(asDeclared.length).toBe(1)
  const names = [...types.matchAll(/^export declare (?:function|class) (\w+)/gm)].map(([, name = ""]) => name)
  const exported = /export \{([^}]*)\};?\s*$/
    .exec(client)?.[1]
    ?.split(",")
    .map((name) => name.trim().replace(/^.* as /, ""))
  expect(exported?.toSorted()).toEqual(names.toSorted())
  expect(types).toBe(readFileSync(join(ROOT, "src/agent/module/client.d.ts"), "utf8"))
})
