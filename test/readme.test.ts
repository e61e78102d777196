/** README and the pages of docs/ match the code: their paths exist, their links lead to headings, and the snippet runs. */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { completeDraft } from "../src/agent/request-draft.ts"
import { realMachine } from "../src/base/machine.ts"
import { catalogue } from "../src/base/refusals.ts"
import { digestFaults } from "../src/checks/policy/digests.ts"
import { checkSupplierIdentifiers } from "../src/checks/us/supplier-identifiers.ts"
import { digestBytes } from "../src/core/digest.ts"
import { AGENT_ID, agentKey } from "./fixtures/buyers.ts"
import { DECIDED_AT, deliveredDecision, issuerJwks } from "./fixtures/decision.ts"
import { freshDirectory } from "./fixtures/directories.ts"
import { pages, readme } from "./fixtures/doc-pages.ts"
import { importsOf, ROOT, sourceFiles, sourceText } from "./fixtures/imports.ts"

const packageJson = JSON.parse(sourceText("package.json"))

/** The text between `<!-- NAME -->` and `<!-- /NAME -->`. */
function block(name: string): string {
  const found = new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)\\n<!-- /${name} -->`).exec(pages)?.[1]
  if (found === undefined) throw new Error(`no page has a block ${name}`)
  return found.trim()
}

/** The text under a heading, up to the next heading of any level. */
function section(heading: string): string {
  const found = new RegExp(`^#+ ${heading}\\n([\\s\\S]*?)(?=^#+ |$(?![\\s\\S]))`, "m").exec(pages)?.[1]
  if (found === undefined) throw new Error(`no page has a section "${heading}"`)
  return found
}

test("sign-request completes the draft that README shows", () => {
  const draft = JSON.parse(/```json\n([\s\S]*?)```/.exec(block("draft"))?.[1] ?? "null")
  const machine = { ...realMachine, now: () => DECIDED_AT, random: (byteLength: number) => new Uint8Array(byteLength) }
  const completed = completeDraft({ draft, agentId: AGENT_ID, keyId: agentKey.keyId, machine, keepTime: false })
  expect(completed).toMatchObject(draft)
  expect(digestFaults(completed)).toEqual([])
  expect(checkSupplierIdentifiers(completed.supplier.identifiers).supplierKey).not.toBeNull()
})

describe("README's statements about files are true", () => {
  test("every path in it exists", () => {
    // The changes of docs/contribute.md create the files that they call new.
    const today = pages.replaceAll(/New file `[^`]+`/g, "")
    const named = [...today.matchAll(/`((?:src|schemas|db|scripts|test|\.ci)\/[^`\s*{}<>]*)`/g)].map(
      (match) => match[1] ?? "",
    )
    expect(named.length).toBeGreaterThan(30)
    expect([...new Set(named)].filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })

  test("every link to another page leads to an existing heading", () => {
    const links = [...readme.matchAll(/\]\((docs\/[^)#]+)(?:#([^)]+))?\)/g)]
    expect(links.length).toBeGreaterThan(2)
    const anchors = (path: string) =>
      [...sourceText(path).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title.toLowerCase().replaceAll(" ", "-"))
    const broken = links.filter(
      ([, path = "", anchor]) =>
        !existsSync(join(ROOT, path)) || (anchor !== undefined && !anchors(path).includes(anchor)),
    )
    expect(broken.map(([link]) => link)).toEqual([])
  })

  test("every code with status 503 is explained to the operator", () => {
    const operating = section("What each 503 means")
    const codes = Object.entries(catalogue).filter(([, { status }]) => status === 503)
    expect(codes.map(([name]) => name).filter((name) => !operating.includes(`\`${name}\``))).toEqual([])
  })

  test("README is short, because reference material has its own pages", () => {
    expect(new TextEncoder().encode(readme).length).toBeLessThanOrEqual(12 * 1024)
  })

  test("no page describes the machine it was written on", () => {
    expect(pages).not.toMatch(/(^|[\s"'`(])(\/work|\/tmp|\/home|\/root|\/mnt)\b|\.\.\/shared|TODO|TBD/)
  })
})

describe("dependencies", () => {
  const listed = (name: string) =>
    new Map([...block(name).matchAll(/^- `([^`]+)`: (.+)$/gm)].map((match) => [match[1] ?? "", match[2] ?? ""]))

  test("match package.json", () => {
    for (const kind of ["dependencies", "devDependencies"]) {
      expect([...listed(kind).keys()].toSorted()).toEqual(Object.keys(packageJson[kind]).toSorted())
    }
  })

  test("a runtime dependency is described as for tests exactly when the program never imports it", () => {
    const imported = sourceFiles("src", "schemas", "db").flatMap(importsOf)
    for (const [name, why] of listed("dependencies")) {
      const runs = imported.some(({ to, typeOnly }) => !typeOnly && (to === name || to.startsWith(`${name}/`)))
      expect([name, why.includes("only the tests")]).toEqual([name, !runs])
    }
  })
})

describe("the snippet that verifies without the service", () => {
  function runSnippet(delivery: string): { exit: number; out: string } {
    using fresh = freshDirectory()
    const snippet = /```js\n([\s\S]*?)```/.exec(block("by-hand"))?.[1]
    if (snippet === undefined) throw new Error("README.md has no snippet in the block by-hand")
    writeFileSync(join(fresh.path, "by-hand.mjs"), snippet)
    writeFileSync(join(fresh.path, "delivery.json"), delivery)
    writeFileSync(join(fresh.path, "issuer.jwks.json"), JSON.stringify(issuerJwks()))
    const ran = Bun.spawnSync([process.execPath, "by-hand.mjs", "delivery.json", "issuer.jwks.json"], {
      cwd: fresh.path,
      stdout: "pipe",
      stderr: "pipe",
      timeout: 10_000,
    })
    return { exit: ran.exitCode ?? -1, out: ran.stdout.toString() }
  }
  const delivered = new TextDecoder().decode(deliveredDecision().bytes)

  test("finds every digest and the signature right in a genuine delivery", () => {
    const { exit, out } = runSnippet(delivered)
    expect(out).toMatch(/^ok {3}signature$/m)
    expect(out).not.toContain("FAIL")
    expect(exit).toBe(0)
  })

  test("detects a changed decision, a changed payload and a changed bill", () => {
    for (const change of [
      (text: string) => text.replace('"machine_action":"RELEASE_PAYMENT"', '"machine_action":"HOLD_PAYMENT"'),
      (text: string) => text.replace('"amount":"12500.00"', '"amount":"99999.00"'),
      (text: string) => text.replace('"maximum_charges":1', '"maximum_charges":2'),
    ]) {
      const changed = change(delivered)
      expect(changed === delivered).toBe(false)
      const { exit, out } = runSnippet(changed)
      expect(out).toContain("FAIL")
      expect(exit).toBe(1)
    }
  })
})

test("LICENSE is the published Apache License 2.0, and package.json names it", () => {
  const published = "sha256:cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
  expect(String(digestBytes(readFileSync(join(ROOT, "LICENSE"))))).toBe(published)
  expect(packageJson.license).toBe("Apache-2.0")
})

test("CHANGELOG's newest entry is the version of package.json", () => {
  expect(/^## (\d+\.\d+\.\d+)/m.exec(sourceText("CHANGELOG.md"))?.[1]).toBe(packageJson.version)
})
