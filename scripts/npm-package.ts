/** Writes the npm package of the client module: the three files that a server hands out, under the names that they have there. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { publishedClient } from "../src/discovery/published-client.ts"

const ROOT = join(import.meta.dir, "..")

export function writeNpmPackage(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(npmPackageFiles())) writeFileSync(join(folder, name), text)
}

/** Texts by file name. */
export function npmPackageFiles(): Readonly<Record<string, string>> {
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
  const packageJson = `${JSON.stringify(description, null, 2)}\n`
  return { "client.mjs": client, "client.d.ts": types, "verifier.mjs": verifier, "package.json": packageJson }
}
