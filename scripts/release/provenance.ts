/** From what, with what and how a release was made. It names nothing of the machine. */
import { publicText } from "../../src/release/minisign.ts"
import type { MadeImage } from "./make-image.ts"
import type { ReleaseOrder } from "./make-release.ts"
import type { Runtime } from "./runtimes.ts"
import { BUN_VERSION, TARGETS, type Target } from "./targets.ts"

interface Made {
  readonly order: ReleaseOrder
  readonly built: readonly Target[]
  /** Time of the commit, RFC 3339. */
  readonly at: string
  /** SHA-256 of the source archive and of bun.lock, 64 hexadecimal digits. */
  readonly sourceDigest: string
  readonly lock: string
  readonly runtimes: readonly Pick<Runtime, "input">[]
  readonly image: MadeImage | null
}

export interface Provenance {
  readonly format: 1
  readonly version: string
  /** As `minisign -P` takes it. */
  readonly release_key: string | null
  readonly targets: readonly string[]
}

/** With the key as the file that its publisher hands out, and the targets where they are not all. */
function commandOf({ version, releaseKey }: ReleaseOrder, built: readonly Target[]): string {
  const chosen = built.length === TARGETS.length ? [] : built.map(({ name }) => `--target ${name}`)
  const key = releaseKey === null ? [] : ["--release-key release.key.pub"]
  return ["bun scripts/release.ts", version, ...key, ...chosen].join(" ")
}

export function provenanceText({ order, built, at, sourceDigest, lock, runtimes, image }: Made): string {
  const { version, source, releaseKey } = order
  const facts: Provenance & Readonly<Record<string, unknown>> = {
    format: 1,
    name: "bizauth",
    version,
    commit: source.commit,
    commit_time: at,
    release_key: releaseKey === null ? null : publicText(releaseKey),
    targets: built.map(({ name }) => name),
    // As a registry names the image after it was copied there.
    image_digest: image === null ? null : image.digest,
    command: commandOf(order, built),
    rebuild: "bun scripts/release.ts --rebuild FOLDER",
    tools: { bun: BUN_VERSION },
    inputs: [
      { name: `bizauth-${version}-source.tar.gz`, sha256: sourceDigest },
      { name: "bun.lock", sha256: lock },
      ...runtimes.map(({ input }) => input),
      ...(image === null ? [] : image.inputs),
    ],
  }
  return `${JSON.stringify(facts, null, 2)}\n`
}
