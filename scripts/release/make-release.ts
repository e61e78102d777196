/** Makes the files of a release from a source archive. The same archive, key and targets give the same bytes in every folder. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sha256 } from "../../src/core/sha256.ts"
import { publicFile, type ReleaseKey } from "../../src/release/minisign.ts"
import { sumsText } from "../../src/release/sums.ts"
import { type ArchiveFile, compressed, packed } from "./archive.ts"
import { DEBIAN_PROCESSORS, debianPackage } from "./debian.ts"
import { documentsOf } from "./documents.ts"
import { imageFile } from "./image.ts"
import { makeImage } from "./make-image.ts"
import { clientPackage, launcherPackage, machinePackage } from "./npm.ts"
import { bundledPackages } from "./packages.ts"
import { FileMissing } from "./pinned-file.ts"
import { provenanceText } from "./provenance.ts"
import { RPM_PROCESSORS, rpmName, rpmPackage } from "./rpm.ts"
import { run } from "./run.ts"
import { fetchRuntime, type Runtime } from "./runtimes.ts"
import { sbomText } from "./sbom.ts"
import { type Source, unpack } from "./source.ts"
import type { Target } from "./targets.ts"

export interface ReleaseOrder {
  readonly version: string
  readonly source: Source
  readonly releaseKey: ReleaseKey | null
  readonly targets: readonly Target[]
  /** Folder of the release. It must not exist. */
  readonly out: string
  /** Folder where runtimes are kept. */
  readonly runtimes: string
  readonly print: (line: string) => void
}

/** Prints the targets whose runtime cannot be had as NOT BUILT. */
export async function makeRelease(order: ReleaseOrder): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "bizauth-release-"))
  try {
    await makeIn(scratch, order)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

export const sourceName = (version: string) => `bizauth-${version}-source.tar.gz`
/** As the build of a checkout names it. */
const shortCommit = ({ commit }: Source) => commit.slice(0, 12)
export const folderOf = (version: string) => `bizauth-${version}`

async function makeIn(scratch: string, order: ReleaseOrder): Promise<void> {
  const { version, source, targets, out, print } = order
  const tree = unpack(source, folderOf(version), scratch)
  const facts = JSON.parse(readFileSync(join(tree, "package.json"), "utf8"))
  if (facts.version !== version) throw new Error(`package.json has the version ${facts.version}, not ${version}`)
  requireSection(readFileSync(join(tree, "CHANGELOG.md"), "utf8"), version)
  mkdirSync(out)
  const digests = new Map<string, string>()
  const write = (name: string, content: Uint8Array | string) => {
    const bytes = typeof content === "string" ? Buffer.from(content) : content
    writeFileSync(join(out, name), bytes)
    digests.set(name, Buffer.from(sha256(bytes)).toString("hex"))
    print(`${name} (${bytes.length} bytes)`)
  }
  write(sourceName(version), compressed(source.tar))
  const described = { version, license: facts.license }
  const packages = await bundledPackages(tree)
  const documents = documentsOf(tree, shortCommit(source), packages)
  const runtimes: Runtime[] = []
  const built: Target[] = []
  const programs = new Map<string, ArchiveFile>()
  for (const target of targets) {
    const runtime = await fetchRuntime(target, order.runtimes).catch((error: unknown) =>
      notBuilt(target.name, error, print),
    )
    if (runtime === null) continue
    runtimes.push(runtime)
    built.push(target)
    const program = compile({ tree, scratch, order, target, runtime })
    const folder = `${folderOf(version)}-${target.name}`
    const files = [program, ...documents]
    write(`${folder}.tar.gz`, packed(folder, files, source.seconds))
    const ofMachine = machinePackage({ target: target.name, program, documents }, described)
    if (ofMachine !== null) write(ofMachine.name, packed("package", ofMachine.files, source.seconds))
    const rpmProcessor = RPM_PROCESSORS[target.name]
    if (rpmProcessor !== undefined) {
      const order = { ...described, processor: rpmProcessor, files, seconds: source.seconds }
      write(rpmName(version, rpmProcessor), rpmPackage(order))
    }
    const processor = DEBIAN_PROCESSORS[target.name]
    if (processor === undefined) continue
    programs.set(processor, program)
    const debian = debianPackage({ version, processor, files, seconds: source.seconds })
    write(`bizauth_${version}_${processor}.deb`, debian)
  }
  const npmPackages = [await launcherPackage(built, documents, described), clientPackage(documents, described)]
  for (const { name, files } of npmPackages) write(name, packed("package", files, source.seconds))
  const { commit, seconds } = source
  const forImage = { ...described, commit, seconds, packages, programs, tree, kept: order.runtimes, scratch }
  const image =
    programs.size === 0
      ? null
      : await makeImage(forImage).catch((error: unknown) => notBuilt(imageFile(version), error, print))
  if (image !== null) {
    write(image.file, image.archive)
    write("compose.yaml", image.compose)
  }
  const at = new Date(source.seconds * 1000).toISOString()
  const sourceDigest = digests.get(sourceName(version)) ?? ""
  write(
    `bizauth-${version}.cdx.json`,
    sbomText({ ...described, direct: facts.dependencies, at, sourceDigest, runtimes }, packages, image),
  )
  const lock = Buffer.from(sha256(readFileSync(join(tree, "bun.lock")))).toString("hex")
  write("provenance.json", provenanceText({ order, built, at, sourceDigest, lock, runtimes, image }))
  writeFileSync(join(out, "SHA256SUMS"), sumsText(digests))
}

/** Throws if CHANGELOG.md says nothing about the version. */
export function requireSection(changelog: string, version: string): void {
  const [, section = ""] = changelog.split(`\n## ${version}\n`)
  const [text = ""] = section.split(/^## /m)
  if (text.trim() === "") throw new Error(`CHANGELOG.md has no section "## ${version}": say there what is new`)
}

function notBuilt(name: string, error: unknown, print: (line: string) => void): null {
  if (!(error instanceof FileMissing)) throw error
  print(`NOT BUILT: ${name}: ${error.message}`)
  return null
}

interface Compile {
  readonly tree: string
  readonly scratch: string
  readonly order: ReleaseOrder
  readonly target: Target
  readonly runtime: Runtime
}

function compile({ tree, scratch, order, target, runtime }: Compile): ArchiveFile {
  const { source, releaseKey } = order
  const out = join(scratch, target.name)
  const key = join(scratch, "release.pub")
  if (releaseKey !== null) writeFileSync(key, publicFile(releaseKey))
  run(
    [
      ...[process.execPath, "scripts/build.ts", "--out", out, "--target", target.compiledFor],
      ...["--executable", runtime.path, "--commit", shortCommit(source)],
      ...(releaseKey === null ? [] : ["--release-key", key]),
    ],
    tree,
  )
  return { name: "bizauth", content: readFileSync(join(out, "bizauth")), isProgram: true }
}
