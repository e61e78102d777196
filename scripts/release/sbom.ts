/** The software bill of materials: CycloneDX 1.6 as JSON (ECMA-424). */
import { hash } from "node:crypto"
import { C_LIBRARY } from "./c-library.ts"
import { RUNTIME_LICENSES } from "./notices.ts"
import type { BundledPackage } from "./packages.ts"
import type { Runtime } from "./runtimes.ts"

interface Release {
  readonly version: string
  readonly license: string
  /** The dependencies of package.json: versions by name. */
  readonly direct: Readonly<Record<string, string>>
  /** RFC 3339. */
  readonly at: string
  /** SHA-256 of the source archive, 64 hexadecimal digits. */
  readonly sourceDigest: string
  /** Of its targets. */
  readonly runtimes: readonly Pick<Runtime, "input">[]
}

/** The container image. */
export interface ReleasedImage {
  /** Name of its archive. */
  readonly file: string
  /** SHA-256 of the archive, 64 hexadecimal digits. */
  readonly sha256: string
  /** SPDX expression over all that it has. */
  readonly licenses: string
  /** Packages of the C library with their SHA-256, by the processor as Debian names it. */
  readonly libraries: Readonly<Record<string, string>>
}

const ROOT = "bizauth"

/** `image`: null for a release without one. */
export function sbomText(
  release: Release,
  packages: readonly BundledPackage[],
  image: ReleasedImage | null = null,
): string {
  const runtimes = release.runtimes.map(({ input }) => input.name)
  const roots = packages.filter(({ name, version }) => release.direct[name] === version).map(refOf)
  const bom = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(release.sourceDigest)}`,
    version: 1,
    metadata: { timestamp: release.at, component: application(release) },
    components: [
      ...release.runtimes.map(runtime),
      ...packages.map(library),
      ...(image === null ? [] : imageParts(release, image)),
    ],
    dependencies: [
      { ref: ROOT, dependsOn: [...runtimes, ...roots] },
      ...runtimes.map((ref) => ({ ref })),
      ...packages.map((one) => ({ ref: refOf(one), dependsOn: one.dependencies })),
      ...(image === null ? [] : imageDependencies(image)),
    ],
  }
  return `${JSON.stringify(bom, null, 2)}\n`
}

function application({ version, license, sourceDigest }: Release) {
  return {
    type: "application",
    "bom-ref": ROOT,
    name: "bizauth",
    version,
    purl: `pkg:generic/bizauth@${version}`,
    licenses: licensesOf(license),
    hashes: [{ alg: "SHA-256", content: sourceDigest }],
  }
}

/** Part of the file of one target. */
function runtime({ input }: Pick<Runtime, "input">) {
  return { type: "platform", ...npmComponent(input, RUNTIME_LICENSES) }
}

function library(one: BundledPackage) {
  return { type: "library", ...npmComponent({ name: refOf(one), integrity: one.integrity }, one.license) }
}

/** `name`: with the version behind the last `@`. `integrity`: `sha512-` and base64. */
function npmComponent({ name: ref, integrity }: Runtime["input"], license: string) {
  const at = ref.lastIndexOf("@")
  const [name, version] = [ref.slice(0, at), ref.slice(at + 1)]
  return {
    "bom-ref": ref,
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    licenses: licensesOf(license),
    hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex") }],
  }
}

/** The image, and the C library for each processor. */
function imageParts({ version }: Release, { file, sha256, licenses, libraries }: ReleasedImage) {
  const image = {
    type: "container",
    "bom-ref": file,
    name: file,
    version,
    licenses: licensesOf(licenses),
    hashes: [{ alg: "SHA-256", content: sha256 }],
  }
  return [image, ...Object.entries(libraries).map(([processor, digest]) => cLibrary(processor, digest))]
}

function cLibrary(processor: string, digest: string) {
  const { package: name, version, license, sourceUrl } = C_LIBRARY
  return {
    type: "library",
    "bom-ref": cLibraryRef(processor),
    name,
    version,
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${processor}&distro=debian-12`,
    licenses: licensesOf(license),
    hashes: [{ alg: "SHA-256", content: digest }],
    externalReferences: [{ type: "source-distribution", url: sourceUrl }],
  }
}

function imageDependencies({ file, libraries }: ReleasedImage) {
  const refs = Object.keys(libraries).map(cLibraryRef)
  return [{ ref: file, dependsOn: [ROOT, ...refs] }, ...refs.map((ref) => ({ ref }))]
}

function cLibraryRef(processor: string): string {
  return `${C_LIBRARY.package}@${C_LIBRARY.version}:${processor}`
}

/** One SPDX id, or an expression. */
function licensesOf(license: string) {
  return [/^[A-Za-z0-9.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }]
}

function refOf({ name, version }: BundledPackage): string {
  return `${name}@${version}`
}

/** RFC 9562, version 8: of the source, so that the same source has the same number. */
function uuidOf(digest: string): string {
  const hex = [...hash("sha256", `bizauth sbom ${digest}`, "hex").slice(0, 32)]
  hex[12] = "8"
  hex[16] = ((Number.parseInt(hex[16] ?? "0", 16) & 3) | 8).toString(16)
  return hex.join("").replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5")
}
