/** Generators of PyPI, Go and Maven that this machine has. None of them is installed by this project, and none fetches anything here. */
import { existsSync, readdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

export interface OtherGenerator {
  readonly name: string
  /** What the machine lacks, or null. */
  readonly lacking: string | null
  /** Files that the folder needs beside `openapi.json`. */
  readonly files?: Readonly<Record<string, string>>
  /** Commands that make the client and then compile or import all of it. */
  readonly commands: readonly (readonly string[])[]
}

/** No Go and no Maven command asks a server. */
export const OFFLINE = { GOPROXY: "off", GOSUMDB: "off", GOFLAGS: "-mod=mod" }

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

/** Version of the package in the module cache that a client of oapi-codegen imports, or null. */
function goRuntime(): string | null {
  if (Bun.which("go") === null) return null
  const cache = Bun.spawnSync(["go", "env", "GOMODCACHE"]).stdout.toString().trim()
  const folder = join(cache, "github.com/oapi-codegen")
  const [found] = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith("runtime@")) : []
  return found?.slice("runtime@".length) ?? null
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

export function otherGenerators(tsc: string): readonly OtherGenerator[] {
  const runtime = goRuntime()
  const jar = generatorJar()
  const javaParts = join(homedir(), ".m2/repository/io/gsonfire/gson-fire")
  return [
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
      files: {
        "tsconfig.json": JSON.stringify({
          compilerOptions: {
            ...{ target: "ESNext", module: "Preserve", moduleResolution: "bundler", lib: ["ESNext", "DOM"], types: [] },
            ...{ strict: true, noEmit: true },
          },
          include: ["generated/**/*.ts"],
        }),
      },
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
