/** Clients that generators of other languages make of the document compile, if the machine has the generator (BIZAUTH_LONG=1). */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { freshDirectory } from "../../fixtures/directories.ts"
import { ROOT } from "../../fixtures/imports.ts"
import { REQUESTED } from "../../fixtures/long.ts"
import { printedOpenapi } from "../../fixtures/openapi.ts"
import { OFFLINE, otherGenerators } from "./other-generators.ts"

/** Java compiles two hundred classes from a cold start. */
const TEST_MS = 600_000

for (const { name, lacking, files = {}, commands } of otherGenerators(join(ROOT, "node_modules/.bin/tsc"))) {
  const why =
    lacking === null ? (REQUESTED ? "" : "NOT RUN, BIZAUTH_LONG=1 runs it: ") : `NOT RUN, no ${lacking} here: `
  test.skipIf(why !== "")(
    `${why}${name} makes a client that compiles`,
    async () => {
      using directory = freshDirectory()
      await Bun.write(join(directory.path, "openapi.json"), printedOpenapi())
      for (const [file, text] of Object.entries(files)) await Bun.write(join(directory.path, file), text)
      for (const command of commands) {
        const child = Bun.spawn([...command], {
          cwd: directory.path,
          env: { ...process.env, ...OFFLINE },
          stdout: "pipe",
          stderr: "pipe",
        })
        const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
        expect([command[0], await child.exited, `${out}${err}`.slice(-3_000)]).toEqual([
          command[0],
          0,
          expect.any(String),
        ])
      }
    },
    TEST_MS,
  )
}
