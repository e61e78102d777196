/** `version --verify`: whether downloaded files are those that the publisher signed. */
import { dirname, join } from "node:path"
import { RELEASE_KEY } from "../../base/build-facts.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { fileDigest } from "../../base/file-digest.ts"
import { readFault } from "../../base/system-fault.ts"
import { type ReleaseKey, readPublicKey } from "../../release/minisign.ts"
import { fileFault, type GenuineSums, genuineSums } from "../../release/verify-download.ts"
import type { Input } from "../command.ts"
import { readDocumentBytes } from "../documents/read-document.ts"
import { readingMinisign } from "./reading-minisign.ts"

/** Exits with 3 if a file, or the signature of the sums, is not the publisher's; with 4 if that cannot be checked, such as for an unknown key. */
export async function verifyFiles(input: Input): Promise<ExitCode> {
  const paths = input.operands
  const [first] = paths
  if (first === undefined)
    throw new CommandError(EXIT.USAGE, "--verify needs the files to verify: bizauth version --verify FILE…")
  const key = await knownKey(input)
  const sumsPath = input.text("sums") ?? join(dirname(first), "SHA256SUMS")
  const sums = await readSums(sumsPath, key)
  await requireGenuine(paths, sums)
  input.result(
    { key_id: key.id, comment: sums.trustedComment, sums: sumsPath, genuine: paths },
    `${sumsPath} is signed by the release key ${key.id}: ${sums.trustedComment}\n${paths.map((path) => `genuine  ${path}\n`).join("")}`,
  )
  return EXIT.DONE
}

/** Looks at every file, so that one wrong file hides no other. A wrong file counts more than one that cannot be read. */
async function requireGenuine(paths: readonly string[], sums: GenuineSums): Promise<void> {
  const faults: CommandError[] = []
  for (const path of paths) {
    const fault = await faultOf(path, sums)
    if (fault !== null) faults.push(fault)
  }
  const [worst] = faults.toSorted((one, other) => one.exit - other.exit)
  if (worst !== undefined) throw new CommandError(worst.exit, faults.map(({ message }) => message).join("\n"))
}

async function faultOf(path: string, sums: GenuineSums): Promise<CommandError | null> {
  const digest = await fileDigest(path).catch(
    (error: unknown) => new CommandError(EXIT.NOT_CHECKED, `cannot read ${path}: ${readFault(error)}`),
  )
  if (digest instanceof CommandError) return digest
  const wrong = fileFault(path, digest.slice("sha256:".length), sums)
  return wrong === null ? null : new CommandError(EXIT.INVALID, wrong)
}

async function knownKey(input: Input): Promise<ReleaseKey> {
  const path = input.text("release-key")
  if (path === undefined && RELEASE_KEY === null) {
    throw new CommandError(
      EXIT.NOT_CHECKED,
      "this build has no release key, so it cannot tell who signed a release; give the publisher's key with --release-key FILE",
    )
  }
  const text = path === undefined ? (RELEASE_KEY ?? "") : new TextDecoder().decode(await readDocumentBytes(path))
  return readingMinisign(path ?? "the release key of this build", EXIT.NOT_CHECKED, () => readPublicKey(text))
}

async function readSums(path: string, key: ReleaseKey): Promise<GenuineSums> {
  const name = `${path}.minisig`
  const signature = { name, text: new TextDecoder().decode(await readDocumentBytes(name)) }
  const found = genuineSums({ name: path, bytes: await readDocumentBytes(path), signature }, key)
  if (!("fault" in found)) return found
  throw new CommandError(found.fault === "KEY" ? EXIT.NOT_CHECKED : EXIT.INVALID, found.message)
}
