/** Generators of clients from npm: how each is started, and the program that uses its client. */
import { join } from "node:path"
import { ROOT } from "../../fixtures/imports.ts"

export interface Generator {
  readonly name: string
  /** The command, which reads `openapi.json` and writes `generated` or `generated.ts` in its folder. */
  readonly command: readonly string[]
  /** A file of `clients/` that exports `sourceIds`. */
  readonly client: string
}

const inModules = (path: string) => join(ROOT, "node_modules", path)
/** For generators that use the compiler as a library. */
const PRELOAD = ["--preload", join(ROOT, "test/fixtures/typescript-5.ts")]

export const HEY_API: Generator = {
  name: "@hey-api/openapi-ts",
  command: [
    ...["bun", ...PRELOAD, inModules("@hey-api/openapi-ts/dist/run.mjs"), "--input", "openapi.json"],
    ...["--output", "generated", "--client", "@hey-api/client-fetch", "--no-log-file", "--silent"],
  ],
  client: "hey-api",
}

export const GENERATORS: readonly Generator[] = [
  {
    name: "openapi-typescript with openapi-fetch",
    command: ["bun", ...PRELOAD, inModules("openapi-typescript/bin/cli.js"), "openapi.json", "-o", "generated.ts"],
    client: "openapi-fetch",
  },
  HEY_API,
  {
    name: "oazapfts",
    command: ["bun", inModules("oazapfts/dist/cli.js"), "openapi.json", "generated.ts"],
    client: "oazapfts",
  },
  {
    name: "openapi-typescript-codegen",
    command: [
      ...["bun", inModules("openapi-typescript-codegen/bin/index.js"), "--input", "openapi.json"],
      ...["--output", "generated", "--client", "fetch"],
    ],
    client: "openapi-typescript-codegen",
  },
]
