/**
 * Prints the published modules `client.mjs` and `verifier.mjs` as one JSON object. Their text is not minified, because their users run them
 * next to private keys and should read them.
 */
import { dirname, join, relative, resolve } from "node:path"
import type { BunPlugin } from "bun"
import { SHARED } from "./shared-schemas.ts"

const ROOT = join(import.meta.dir, "..", "..", "..")

/** Files that the client module replaces, because they need Node, Bun or a large package. A test compares the results of both. */
const STAND_INS: Readonly<Record<string, string>> = {
  "src/core/base64url.ts": "base64url.ts",
  "src/core/digest.ts": "digest.ts",
  "src/core/ed25519.ts": "ed25519.ts",
  "src/core/jwk.ts": "jwk.ts",
  "src/core/sensitive/open-value.ts": "open-value.ts",
  "src/core/signed-forms.ts": "signed-forms.ts",
  "schemas/us/mandate.ts": "mandate.ts",
  "src/agent/forms/challenge-carrier.ts": "challenge-carrier.ts",
  "src/agent/forms/request-draft.ts": "signed-forms.ts",
  "@sinclair/typebox/compiler": "typebox-compiler.ts",
  "@sinclair/typebox/value": "typebox-value.ts",
}

/** The client imports these from the file beside it, whose entry exports what they export. */
const IN_VERIFIER = [
  "src/agent/module/portable-signing.ts",
  "src/agent/module/verify-document.ts",
  "src/offline/portable/encoding.ts",
]

const standIns: BunPlugin = {
  name: "stand-ins",
  setup(build) {
    build.onResolve({ filter: /\.ts$|^@sinclair\// }, ({ path, importer }) => {
      const name = path.startsWith(".") ? relative(ROOT, resolve(dirname(importer), path)) : path
      if (IN_VERIFIER.includes(name)) return { path: "./verifier.mjs", external: true }
      const standIn = STAND_INS[name]
      return standIn === undefined ? undefined : { path: join(import.meta.dir, "stand-ins", standIn) }
    })
  },
}

/** Schemas and other data are in the module as JSON, without the library that they are written with. */
const plainData: BunPlugin = {
  name: "plain-data",
  setup(build) {
    build.onLoad({ filter: /\/(schemas|src\/agent\/forms)\/.*\.ts$/ }, async ({ path }) => {
      const exported = Object.entries((await import(path)) as Record<string, unknown>)
      const data = exported.filter(([, value]) => typeof value !== "function")
      // A file of functions alone is code.
      if (data.every(([, value]) => typeof value !== "object")) return undefined
      const helper = `import { schemaOf } from ${JSON.stringify(join(import.meta.dir, "schema-of.ts"))}`
      return {
        contents: [helper, ...data.map(([name, value]) => constant(name, withNames(value)))].join("\n"),
        loader: "js",
      }
    })
    build.onLoad({ filter: /\/agent\/module\/shared-schemas\.ts$/ }, () => {
      return { contents: constant("SHARED", withoutWords(SHARED)), loader: "js" }
    })
  },
}

/** Members of a schema that no check reads. */
const WORDS = ["$id", "title", "description", "examples"]

function withoutWords(value: unknown): string {
  return JSON.stringify(value, (member, inside) => (WORDS.includes(member) ? undefined : inside))
}

const NAMES = new Map(Object.entries(SHARED).map(([name, schema]) => [withoutWords(schema), name]))

/** The same with a name in the place of each shared schema. */
function withNames(value: unknown): string {
  return JSON.stringify(value, (member, inside) => {
    if (WORDS.includes(member)) return undefined
    const $ref = NAMES.get(withoutWords(inside))
    return $ref === undefined ? inside : { $ref }
  })
}

/** An object is a text of JSON, because the bundler would print it member by member. */
function constant(name: string, json: string): string {
  const parse = json.includes(`"$ref"`) ? "schemaOf" : "JSON.parse"
  const text = /^[{[]/.test(json) ? `/* @__PURE__ */ ${parse}('${json.replace(/['\\]/g, "\\$&")}')` : json
  return `export const ${name} = ${text}`
}

const BANNER = `/*
 * client.mjs: buys and recovers answers of this service. Its types and their description are in client.d.ts.
 * It imports one file, verifier.mjs, from its own folder. It uses fetch and no other part of the network, no file, no environment variable.
 * Licence: Apache-2.0.
 */`

async function bundled(which: "client" | "verifier"): Promise<string> {
  const built = await Bun.build({
    root: ROOT,
    entrypoints: [join(import.meta.dir, which === "client" ? "module.ts" : "verifier.ts")],
    target: "browser",
    format: "esm",
    ...(which === "client" ? { plugins: [standIns, plainData], banner: BANNER } : {}),
  })
  const [module] = built.outputs
  if (!built.success || !module) throw new AggregateError(built.logs, `${which} was not bundled`)
  return module.text()
}

const [client, verifier] = [await bundled("client"), await bundled("verifier")]
process.stdout.write(JSON.stringify({ client, verifier }))
