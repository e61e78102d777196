/** Verifies the bytes and the signature of a received register snapshot. Only an import reads its rows, because that takes minutes. */
import { statSync } from "node:fs"
import { adding, type LongWork } from "../../base/long-work.ts"
import { type Digest, digestFiles } from "../../core/digest.ts"
import type { Finding } from "../records/adapter.ts"
import { InputError } from "../records/input-error.ts"
import type { RegisterFile } from "../records/register-adapter.ts"
import type { RegisterId } from "../records/register-id.ts"
import { wholeDigest } from "./copy-file.ts"
import { disagreements } from "./import-register.ts"
import { type SignatureState, signatureState } from "./manifest-signature.ts"
import { readRegisterInput } from "./register-input.ts"

export interface VerifiedRegister {
  readonly sourceId: RegisterId
  /** Milliseconds. */
  readonly retrievedAt: number
  readonly rawSha256: Digest
  readonly bytes: number
  readonly signature: SignatureState
  readonly findings: readonly Finding[]
}

/** `keys` are public keys; if there is one, one of them must have signed. Throws {@link InputError} for a folder without a manifest. */
export async function verifyRegister(
  path: string,
  id: RegisterId,
  keys: readonly string[],
  work: LongWork,
): Promise<VerifiedRegister> {
  const input = readRegisterInput([path], id, keys)
  const { manifest } = input
  if (!manifest) throw new InputError(`${path} has no manifest; loose files state nothing that could be verified`)
  const total = input.files.reduce((sum, file) => sum + statSync(file.path).size, 0)
  work.step({ what: "comparing the bytes with the manifest", unit: "bytes", total })
  const onRead = adding(work)
  const files: RegisterFile[] = []
  for (const file of input.files) {
    const sha256 = await wholeDigest(file.path, onRead)
    files.push({ ...file, sha256, bytes: statSync(file.path).size })
  }
  return {
    sourceId: id,
    retrievedAt: manifest.retrievedAt,
    rawSha256: digestFiles(files),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    signature: signatureState(manifest.value, keys),
    findings: [...input.findings, ...disagreements(manifest, files)],
  }
}
