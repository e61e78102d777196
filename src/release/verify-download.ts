/** Checks a download against the sums that the publisher signed. Nothing here uses a network. */
import { basename } from "node:path"
import { isSignedBy, MinisignFault, type ReleaseKey, type ReleaseSignature, readSignature } from "./minisign.ts"
import { readSums, type Sums } from "./sums.ts"

/** `KEY`: the signature is by another key than the one that is known. `SIGNATURE`: it is no signature of the sums. */
interface SumsFault {
  readonly fault: "KEY" | "SIGNATURE"
  readonly message: string
}

const AGAIN = "download it again, and if it stays so, tell the publisher"

interface SignedSums {
  readonly name: string
  readonly bytes: Uint8Array
  readonly signature: { readonly name: string; readonly text: string }
}

export interface GenuineSums {
  readonly sums: Sums
  /** What the publisher wrote beside the signature, such as the version. */
  readonly trustedComment: string
}

/** Reads the sums if the key signed them. */
export function genuineSums({ name, bytes, signature }: SignedSums, key: ReleaseKey): GenuineSums | SumsFault {
  const read = signatureIn(signature.text)
  if (read instanceof MinisignFault)
    return { fault: "SIGNATURE", message: `${signature.name}: ${read.message}; ${AGAIN}` }
  if (read.keyId !== key.id) {
    return {
      fault: "KEY",
      message: `${signature.name} is by the key ${read.keyId}, and the known release key is ${key.id}; ask the publisher, over another channel, whether the key has changed`,
    }
  }
  if (!isSignedBy(key, bytes, read)) {
    return {
      fault: "SIGNATURE",
      message: `${signature.name} is no signature of ${name} by the key ${key.id}; ${AGAIN}`,
    }
  }
  const sums = readSums(new TextDecoder().decode(bytes))
  if (sums === null)
    return {
      fault: "SIGNATURE",
      message: `${name} is signed and is no list of SHA-256 sums; name the right file with --sums`,
    }
  return { sums, trustedComment: read.trustedComment }
}

function signatureIn(text: string): ReleaseSignature | MinisignFault {
  try {
    return readSignature(text)
  } catch (error) {
    if (error instanceof MinisignFault) return error
    throw error
  }
}

/** Why a file is not one of the release, or null. `digest`: its SHA-256 as 64 hexadecimal digits. */
export function fileFault(path: string, digest: string, { sums }: GenuineSums): string | null {
  const name = basename(path)
  const expected = sums.get(name)
  if (expected === undefined)
    return `${path}: the signed sums list no file ${name}; give it its name again, or take the sums of its release`
  if (expected === digest) return null
  return `${path} is not the file that was published: its SHA-256 is ${digest}, and the signed sums say ${expected}; ${AGAIN}`
}
