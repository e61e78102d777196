/** The source archive of a commit, as git makes it: the same bytes on every machine. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { run, runForBytes } from "./run.ts"

export interface Source {
  /** The archive without compression. */
  readonly tar: Uint8Array
  readonly commit: string
  /** Of the commit, in seconds since 1970. */
  readonly seconds: number
}

const BLOCK = 512
/** What a user may have set otherwise, and what would change the bytes. */
const SAME_ARCHIVE = ["tar.umask=0002", "core.autocrlf=false", "core.eol=lf", "core.attributesFile=/dev/null"]

/** Of the commit that is checked out at `root`. Throws if the tree has changes, because they would not be in the archive. */
export function sourceOf(root: string, folder: string): Source {
  const changed = run(["git", "status", "--porcelain"], root)
  if (changed !== "") throw new Error(`the tree has changes that no commit has:\n${changed}`)
  const settings = SAME_ARCHIVE.flatMap((setting) => ["-c", setting])
  return readSource(runForBytes(["git", ...settings, "archive", "--format=tar", `--prefix=${folder}/`, "HEAD"], root))
}

/** Of a source archive. Throws if git did not make it from a commit. */
export function readSource(tar: Uint8Array): Source {
  const bytes = tar[0] === 0x1f ? gunzipSync(tar) : tar
  // The first member is a pax header, whose text names the commit; its time is that of the commit.
  const text = Buffer.from(bytes.subarray(0, 2 * BLOCK)).toString("latin1")
  const [, commit] = /comment=([0-9a-f]{40})\n/.exec(text) ?? []
  const seconds = Number.parseInt(text.slice(136, 147), 8)
  if (commit === undefined || !Number.isSafeInteger(seconds))
    throw new Error("this is no archive of a commit that git made")
  return { tar: bytes, commit, seconds }
}

/** Unpacks the archive and installs the packages that the file bundles. */
export function unpack({ tar }: Source, folder: string, scratch: string): string {
  mkdirSync(scratch, { recursive: true })
  run(["tar", "-xf", "-", "-C", scratch], scratch, { input: tar })
  const tree = join(scratch, folder)
  run([process.execPath, "install", "--frozen-lockfile", "--production", "--ignore-scripts"], tree, {
    env: process.env,
  })
  return tree
}
