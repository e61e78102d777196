/** Checkers of the OpenAPI ecosystem read the document: the linter of Redocly with its recommended rules, and the schema of OpenAPI 3.1. */
import { expect, setDefaultTimeout } from "bun:test"
import { join } from "node:path"
import { Validator } from "@seriousme/openapi-schema-validator"
import { freshDirectory } from "../fixtures/directories.ts"
import { ROOT } from "../fixtures/imports.ts"
import { printedOpenapi } from "../fixtures/openapi.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(120_000)

interface Lint {
  readonly totals: { readonly errors: number; readonly warnings: number; readonly ignored: number }
  readonly problems: readonly { readonly ruleId: string; readonly message: string }[]
}

async function lint(document: string): Promise<Lint> {
  using directory = freshDirectory()
  const file = join(directory.path, "openapi.json")
  await Bun.write(file, document)
  const program = join(ROOT, "node_modules/@redocly/cli/bin/cli.js")
  const process = Bun.spawn(["bun", program, "lint", file, "--extends=recommended", "--format=json"], {
    cwd: directory.path,
    env: { ...Bun.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    stderr: "pipe",
  })
  const [out, err] = await Promise.all([new Response(process.stdout).text(), new Response(process.stderr).text()])
  await process.exited
  if (!out.startsWith("{")) throw new Error(`no report: ${out}${err}`)
  return JSON.parse(out) as Lint
}

test("Redocly's recommended rules, all of them on, find nothing", async () => {
  const { totals, problems } = await lint(printedOpenapi())
  expect(problems.map(({ ruleId, message }) => ({ ruleId, message }))).toEqual([])
  expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 })
})

test("the schema of OpenAPI 3.1 accepts it, and rejects it without its version", async () => {
  const valid = await new Validator().validate(JSON.parse(printedOpenapi()) as Record<string, unknown>)
  expect([valid.valid, valid.errors ?? []]).toEqual([true, []])
  const { info: _, ...rest } = JSON.parse(printedOpenapi()) as Record<string, unknown>
  expect((await new Validator().validate(rest)).valid).toBe(false)
})
