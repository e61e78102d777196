/**
 * Packages of npm: `bizauth`, which starts the program of this machine, a package for each machine, and the client module. npm installs only the
 * optional dependency that fits the machine.
 */
import { join } from "node:path"
import { npmPackageFiles } from "../npm-package.ts"
import type { ArchiveFile } from "./archive.ts"
import type { Target } from "./targets.ts"

export interface NpmPackage {
  /** File name, as `npm pack` gives it. */
  readonly name: string
  readonly files: readonly ArchiveFile[]
}

interface Machine {
  readonly os: string
  readonly cpu: string
  readonly libc?: string
}

const SCOPE = "@bizauth"
const LAUNCHER = join(import.meta.dir, "npm-launcher.mjs")

/** By target. npm cannot tell processors without AVX2 apart, so there is no package for them. */
const MACHINES: Readonly<Record<string, Machine>> = {
  "linux-x64": { os: "linux", cpu: "x64", libc: "glibc" },
  "linux-arm64": { os: "linux", cpu: "arm64", libc: "glibc" },
  "linux-x64-musl": { os: "linux", cpu: "x64", libc: "musl" },
  "linux-arm64-musl": { os: "linux", cpu: "arm64", libc: "musl" },
  "macos-x64": { os: "darwin", cpu: "x64" },
  "macos-arm64": { os: "darwin", cpu: "arm64" },
}

interface Described {
  readonly version: string
  readonly license: string
}

/** The program of one target; null for a target without a package. */
export function machinePackage(target: string, program: ArchiveFile, described: Described): NpmPackage | null {
  const machine = MACHINES[target]
  if (machine === undefined) return null
  const { os, cpu, libc } = machine
  const facts = { name: `${SCOPE}/${target}`, ...described, os: [os], cpu: [cpu], ...(libc && { libc: [libc] }) }
  return {
    name: `bizauth-${target}-${described.version}.tgz`,
    files: [program, description({ ...facts, description: `The program bizauth for ${target}`, files: ["bizauth"] })],
  }
}

/** `targets`: those that the release has. */
export async function launcherPackage(targets: readonly Target[], described: Described): Promise<NpmPackage> {
  const names = targets.map(({ name }) => name).filter((name) => name in MACHINES)
  const facts = {
    name: "bizauth",
    ...described,
    description: "Signed decisions about payments that agents make: the service and its command",
    bin: { bizauth: "bizauth.mjs" },
    engines: { node: ">=20" },
    optionalDependencies: Object.fromEntries(names.map((name) => [`${SCOPE}/${name}`, described.version])),
  }
  const launcher = { name: "bizauth.mjs", content: await Bun.file(LAUNCHER).text(), isProgram: true }
  return { name: `bizauth-${described.version}.tgz`, files: [launcher, description(facts)] }
}

export function clientPackage({ version }: Described): NpmPackage {
  const files = Object.entries(npmPackageFiles()).map(([name, content]) => ({ name, content }))
  return { name: `bizauth-client-${version}.tgz`, files }
}

function description(facts: object): ArchiveFile {
  return { name: "package.json", content: `${JSON.stringify(facts, null, 2)}\n` }
}
