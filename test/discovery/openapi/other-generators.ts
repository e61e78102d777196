/** Generators of npm, PyPI, Go and Maven that this machine has. None is installed by this project, and none fetches anything here. */
import { existsSync, readdirSync, realpathSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"

export interface OtherGenerator {
  readonly name: string
  /** What the machine lacks, or null. */
  readonly lacking: string | null
  /** Files that the folder needs beside `openapi.json`. */
  readonly files?: Readonly<Record<string, string>>
  /** Commands that make the client and then compile or import all of it. */
  readonly commands: readonly (readonly string[])[]
}

/** No command asks a server or reports that it was used. */
export const OFFLINE = { GOPROXY: "off", GOSUMDB: "off", GOFLAGS: "-mod=mod", DO_NOT_TRACK: "1" }

/** Compiles every file of a client in TypeScript. */
const TSCONFIG = JSON.stringify({
  compilerOptions: {
    ...{ target: "ESNext", module: "Preserve", moduleResolution: "bundler", lib: ["ESNext", "DOM"], types: [] },
    ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
  },
  include: ["generated/**/*.ts"],
})

const lackingOf = (programs: readonly string[]): string | null =>
  programs.find((program) => Bun.which(program) === null) ?? null

/** Imports every module of a package, so that Python reads every line. */
const IMPORT_ALL = `
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
package = importlib.import_module(sys.argv[2])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
`

/** The interpreter beside a program of PyPI has the packages of that program. */
function pythonOf(program: string): string {
  const path = Bun.which(program)
  const beside = path === null ? "" : join(path, "../python3")
  return existsSync(beside) ? beside : "python3"
}

const RUNTIME = "github.com/oapi-codegen/runtime"
const OGEN = "github.com/ogen-go/ogen"
/** What a client of ogen imports and ogen itself does not. */
const OGEN_TRACES = "go.opentelemetry.io/otel"

/** The newest version of a package in the module cache of Go, or null. */
function goModule(path: string): string | null {
  if (Bun.which("go") === null) return null
  const cache = Bun.spawnSync(["go", "env", "GOMODCACHE"]).stdout.toString().trim()
  const folder = join(cache, dirname(path))
  const start = `${path.slice(path.lastIndexOf("/") + 1)}@`
  const versions = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(start)) : []
  const [newest] = versions.map((name) => name.slice(start.length)).toSorted((a, b) => Bun.semver.order(b, a))
  return newest ?? null
}

/** The newest file of openapi-generator in the local repository of Maven, or null. */
function generatorJar(): string | null {
  const folder = join(homedir(), ".m2/repository/org/openapitools/openapi-generator-cli")
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : []
  const [newest] = files
    .filter((file) => file.endsWith(".jar"))
    .toSorted((a, b) => Bun.semver.order(versionIn(b), versionIn(a)))
  return newest === undefined ? null : join(folder, newest)
}

const versionIn = (file: string): string => file.split("/")[0] ?? ""

function openapiGenerator(language: string, jar: string | null): readonly string[] {
  return ["java", "-jar", jar ?? "", "generate", "-g", language, "-i", "openapi.json", "-o", "generated"]
}

const KUBB_PACKAGES = [
  ...["@kubb/core", "@kubb/plugin-client", "@kubb/plugin-oas", "@kubb/plugin-ts", "@kubb/plugin-zod"],
  ...["axios", "zod"],
]

/** The command of kubb asks npm for its newest version. The function that it calls does not. */
const KUBB_BUILD = `
import { build } from "@kubb/core"
import { pluginClient } from "@kubb/plugin-client"
import { pluginOas } from "@kubb/plugin-oas"
import { pluginTs } from "@kubb/plugin-ts"
import { pluginZod } from "@kubb/plugin-zod"
const plugins = [pluginOas(), pluginTs(), pluginClient(), pluginZod()]
await build({ config: { root: ".", input: { path: "openapi.json" }, output: { path: "generated" }, plugins } })
`

/** kubb with its default options, in a folder with the packages that were installed beside its command. */
function kubb(tsc: string): OtherGenerator {
  const program = Bun.which("kubb")
  const modules = program === null ? "" : join(realpathSync(program), "../../../..")
  return {
    name: "kubb",
    lacking: lackingOf(["kubb", "node"]) ?? KUBB_PACKAGES.find((name) => !existsSync(join(modules, name))) ?? null,
    files: { "tsconfig.json": TSCONFIG, "generate.mjs": KUBB_BUILD },
    commands: [
      ["ln", "-s", modules, "node_modules"],
      ["node", "generate.mjs"],
      [tsc, "--project", "."],
    ],
  }
}

/** ogen leaves out the operations whose alternatives no member tells apart: it has no type for them. */
function ogen(): OtherGenerator {
  const version = goModule(OGEN)
  return {
    name: "ogen",
    lacking:
      lackingOf(["ogen", "go"]) ?? (version === null ? OGEN : goModule(OGEN_TRACES) === null ? OGEN_TRACES : null),
    files: {
      "go.mod": `module generated\n\ngo 1.24\n\nrequire ${OGEN} ${version}\n`,
      "ogen.yml": 'generator:\n  ignore_not_implemented: ["complex anyOf"]\n',
    },
    commands: [
      ["ogen", "--target", "api", "--package", "api", "--config", "ogen.yml", "openapi.json"],
      ["go", "build", "./..."],
    ],
  }
}

export function otherGenerators(tsc: string): readonly OtherGenerator[] {
  const runtime = goModule(RUNTIME)
  const jar = generatorJar()
  const javaParts = join(homedir(), ".m2/repository/io/gsonfire/gson-fire")
  return [
    kubb(tsc),
    ogen(),
    {
      name: "openapi-python-client",
      lacking: lackingOf(["openapi-python-client"]),
      commands: [
        ["openapi-python-client", "generate", "--path", "openapi.json", "--output-path", "generated", "--meta", "none"],
        [pythonOf("openapi-python-client"), "-c", IMPORT_ALL, ".", "generated"],
      ],
    },
    {
      name: "datamodel-code-generator",
      lacking: lackingOf(["datamodel-codegen"]),
      commands: [
        [
          ...[
            "datamodel-codegen",
            "--input",
            "openapi.json",
            "--input-file-type",
            "openapi",
            "--output",
            "generated.py",
          ],
          ...["--output-model-type", "pydantic_v2.BaseModel"],
        ],
        [pythonOf("datamodel-codegen"), "-c", "import sys; sys.path.insert(0, '.'); import generated"],
      ],
    },
    {
      name: "oapi-codegen",
      lacking: lackingOf(["oapi-codegen", "go"]) ?? (runtime === null ? RUNTIME : null),
      files: { "go.mod": `module generated\n\ngo 1.21\n\nrequire ${RUNTIME} ${runtime}\n` },
      commands: [
        ["oapi-codegen", "-generate", "types,client", "-package", "generated", "-o", "client.go", "openapi.json"],
        ["go", "build", "./..."],
      ],
    },
    {
      name: "openapi-generator for typescript-fetch",
      lacking: lackingOf(["java"]) ?? (jar === null ? "openapi-generator-cli" : null),
      files: { "tsconfig.json": TSCONFIG },
      commands: [openapiGenerator("typescript-fetch", jar), [tsc, "--project", "."]],
    },
    {
      name: "openapi-generator for java",
      lacking:
        lackingOf(["java", "mvn"]) ??
        (jar === null ? "openapi-generator-cli" : existsSync(javaParts) ? null : "the packages of its client"),
      commands: [openapiGenerator("java", jar), ["mvn", "-q", "-o", "-f", "generated/pom.xml", "compile"]],
    },
  ]
}
