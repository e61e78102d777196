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

/** The licence of this project, and the licences of what it bundles: every package has both. */
const LEGAL = ["LICENSE", "NOTICES.txt"]
/** A registry shows the page to whoever looks for the command. */
const LAUNCHER_DOCUMENTS = [...LEGAL, "README.md"]

function chosen(documents: readonly ArchiveFile[], names: readonly string[]): ArchiveFile[] {
  return names.map((name) => {
    const found = documents.find((document) => document.name === name)
    if (found === undefined) throw new Error(`the release has no file ${name}`)
    return found
  })
}

interface MachineProgram {
  readonly target: string
  readonly program: ArchiveFile
  /** What an archive holds beside the program. */
  readonly documents: readonly ArchiveFile[]
}

/** The program of one target; null for a target without a package. */
export function machinePackage(
  { target, program, documents }: MachineProgram,
  described: Described,
): NpmPackage | null {
  const machine = MACHINES[target]
  if (machine === undefined) return null
  const { os, cpu, libc } = machine
  const facts = { name: `${SCOPE}/${target}`, ...described, os: [os], cpu: [cpu], ...(libc && { libc: [libc] }) }
  return {
    name: `bizauth-${target}-${described.version}.tgz`,
    files: [
      program,
      ...chosen(documents, LEGAL),
      description({ ...facts, description: `The program bizauth for ${target}`, files: ["bizauth", "NOTICES.txt"] }),
    ],
  }
}

/** `targets`: those that the release has. */
export async function launcherPackage(
  targets: readonly Target[],
  documents: readonly ArchiveFile[],
  described: Described,
): Promise<NpmPackage> {
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
  return {
    name: `bizauth-${described.version}.tgz`,
    files: [launcher, ...chosen(documents, LAUNCHER_DOCUMENTS), description(facts)],
  }
}

export function clientPackage(documents: readonly ArchiveFile[], { version }: Described): NpmPackage {
  const files = Object.entries(npmPackageFiles()).map(([name, content]) => ({ name, content }))
  return { name: `bizauth-client-${version}.tgz`, files: [...files, ...chosen(documents, LEGAL)] }
}

function description(facts: object): ArchiveFile {
  return { name: "package.json", content: `${JSON.stringify(facts, null, 2)}\n` }
}
