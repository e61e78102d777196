/** Writes the npm package of the client module: the three files that a server hands out, under the names that they have there. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { publishedClient } from "../src/discovery/published-client.ts"

const ROOT = join(import.meta.dir, "..")

export function writeNpmPackage(folder: string): void {
  const { version, license } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))
  const { client, verifier, types } = publishedClient()
  const description = {
    name: "bizauth-client",
    version,
    license,
    description: "Signs, buys, recovers and verifies answers of a Business Authorization Service",
    type: "module",
    engines: { node: ">=20" },
    exports: {
      ".": { types: "./client.d.ts", default: "./client.mjs" },
      "./verifier.mjs": "./verifier.mjs",
    },
    files: ["client.mjs", "client.d.ts", "verifier.mjs"],
    sideEffects: false,
  }
  mkdirSync(folder, { recursive: true })
  const files = { "client.mjs": client, "client.d.ts": types, "verifier.mjs": verifier }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(description, null, 2)}\n`)
}
