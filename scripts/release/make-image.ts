/** Makes the container image of a release, and the compose file that runs it on one machine. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { sha256 } from "../../src/core/sha256.ts"
import type { ArchiveFile } from "./archive.ts"
import { type CLibrary, fetchCLibrary } from "./c-library.ts"
import { type ImagePlatform, imageFile, imageName, imageOf } from "./image.ts"
import { cLibraryNotice, imageLicenses, noticesText } from "./notices.ts"
import type { BundledPackage } from "./packages.ts"
import { FileMissing } from "./pinned-file.ts"
import type { ReleasedImage } from "./sbom.ts"

const COMPOSE = "docs/examples/one-machine/compose.yaml"
/** The version that the compose file of the documentation names. */
const EXAMPLE_VERSION = "1.0.0"

interface MakeImage {
  readonly version: string
  readonly commit: string
  /** Time of the commit, in seconds since 1970. */
  readonly seconds: number
  /** SPDX id of this project. */
  readonly license: string
  readonly packages: readonly BundledPackage[]
  /** By the processor as Debian names it. */
  readonly programs: ReadonlyMap<string, ArchiveFile>
  /** The unpacked source. */
  readonly tree: string
  /** Folder where fetched files are kept. */
  readonly kept: string
  /** A folder for this call. */
  readonly scratch: string
}

export interface MadeImage extends ReleasedImage {
  /** Of the index, as a registry names the image. */
  readonly digest: string
  readonly inputs: readonly CLibrary["input"][]
  readonly archive: Uint8Array
  readonly compose: string
}

/** Rejects with {@link FileMissing} if it cannot be made on this machine. */
export async function makeImage(order: MakeImage): Promise<MadeImage> {
  if (Bun.which("dpkg-deb") === null) throw new FileMissing("no dpkg-deb here, which unpacks the C library")
  const { version, packages, tree, programs } = order
  const platforms: ImagePlatform[] = []
  const inputs: CLibrary["input"][] = []
  const libraries: Record<string, string> = {}
  for (const [processor, { content }] of programs) {
    const library = await fetchCLibrary(processor, order.kept, join(order.scratch, `c-library-${processor}`))
    inputs.push(library.input)
    libraries[processor] = library.input.sha256
    const program = typeof content === "string" ? Buffer.from(content) : content
    const notices = noticesText(packages, [cLibraryNotice(library.copyright)])
    platforms.push({ processor, program, libraries: library.files, notices })
  }
  const licenses = imageLicenses(order.license, packages)
  const license = readFileSync(join(tree, "LICENSE"), "utf8")
  const { archive, digest } = imageOf({ ...order, licenses, license, platforms })
  const described = { file: imageFile(version), sha256: Buffer.from(sha256(archive)).toString("hex") }
  const compose = composeText(readFileSync(join(tree, COMPOSE), "utf8"), version)
  return { ...described, licenses, libraries, digest, inputs, archive, compose }
}

/** Names the image of this version. Throws if the text does not name the one of the documentation once. */
export function composeText(text: string, version: string): string {
  const [before, after, ...more] = text.split(imageName(EXAMPLE_VERSION))
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${COMPOSE} must name ${imageName(EXAMPLE_VERSION)} once`)
  return `${before}${imageName(version)}${after}`
}
