import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { encodeBase64 } from "../../src/core/bytes.ts"
import {
  NOTE_SIGNATURES_MAX,
  openCheckpoint,
  openNote,
  readCheckpoint,
  readVerifierKey,
  type VerifierKey,
  writeCheckpoint,
  writeNote,
  writeVerifierKey,
} from "../../src/core/checkpoint.ts"
import { keyFromSeed } from "../../src/core/ed25519.ts"
import { sha256 } from "../../src/core/sha256.ts"
import { checkpointNote, type LogKey, nativeNoteCrypto, verifierKeyOf } from "../../src/core/sign-checkpoint.ts"

const ORIGIN = "svc.example/agent-id/log/1"
const logKey = (fill: number): LogKey => ({ keyId: `key-${fill}`, ...keyFromSeed(new Uint8Array(32).fill(fill)) })
const key = logKey(1)
const verifier = verifierKeyOf(ORIGIN, key.x)
const checkpoint = { origin: ORIGIN, size: 1234, rootHash: sha256(Uint8Array.of(1)) }
const note = checkpointNote(checkpoint, key)
const open = (text: string, keys: readonly VerifierKey[] = [verifier]) => openCheckpoint(text, keys, nativeNoteCrypto)

describe("published notes", () => {
  const vkey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
  const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
  const signed = `${text}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`

  test("the example of the Go note package opens with its verifier key", () => {
    const known = readVerifierKey(sha256, vkey)
    expect(known?.name).toBe("PeterNeumann")
    expect(openNote(signed, [known!], nativeNoteCrypto)).toMatchObject({ text })
    expect(openNote(signed.replace("don't", "do"), [known!], nativeNoteCrypto)).toEqual({
      fault: "NOTE_SIGNATURE_INVALID",
    })
  })

  test("the verifier key of the Go checksum database is read and written back unchanged", () => {
    const published = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"
    expect(writeVerifierKey(sha256, readVerifierKey(sha256, published)!)).toBe(published)
    expect(readVerifierKey(sha256, published.replace("033de0ae", "033de0af"))).toBeNull()
    expect(readVerifierKey(sha256, published.replace("+Ac", "+As"))).toBeNull()
    expect(readVerifierKey(sha256, "no key")).toBeNull()
  })
})

describe("a checkpoint of the log", () => {
  test("has three lines, an empty line and the signature, and opens with the pinned key", () => {
    const [origin, size, root, empty, signature, end] = note.split("\n")
    expect([origin, size, root, empty, end]).toEqual([ORIGIN, "1234", encodeBase64(checkpoint.rootHash), "", ""])
    expect(signature).toStartWith(`— ${ORIGIN} `)
    expect(open(note)).toEqual(checkpoint)
  })

  test("with any byte changed does not open", () => {
    const bytes = Buffer.from(note)
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 127 }), (at, flip) => {
        const changed = Buffer.from(bytes)
        changed[at] = changed[at]! ^ flip
        expect(open(changed.toString("utf8"))).toHaveProperty("fault")
      }),
      { numRuns: 500 },
    )
  })

  test("signed by an unknown key gets another fault than one with a wrong signature", () => {
    expect(open(note, [verifierKeyOf(ORIGIN, logKey(2).x)])).toEqual({ fault: "NOTE_NOT_SIGNED_BY_KNOWN_KEY" })
    expect(open(note, [])).toEqual({ fault: "NOTE_NOT_SIGNED_BY_KNOWN_KEY" })
  })

  test("may carry signatures of known and unknown witnesses", () => {
    const witness = logKey(3)
    const witnessKey = verifierKeyOf("witness.example", witness.x)
    const cosigned = checkpointNote({ ...checkpoint }, witness)
      .split("\n")
      .at(-2)!
      .replace(ORIGIN, "someone.else")
    expect(open(`${note}${cosigned}\n`)).toEqual(checkpoint)
    const forged = writeNote(sha256, "", [{ key: witnessKey, signature: new Uint8Array(64) }]).slice(1)
    expect(open(`${note}${forged}`)).toEqual(checkpoint)
    expect(open(`${note}${forged}`, [verifier, witnessKey])).toEqual({ fault: "NOTE_SIGNATURE_INVALID" })
  })

  test("signed under another log's name is refused for this origin", () => {
    const other = verifierKeyOf("other.example/log", key.x)
    const own = checkpointNote({ ...checkpoint, origin: "other.example/log" }, key)
    expect(open(own, [other])).toMatchObject({ origin: "other.example/log" })
    const text = writeCheckpoint(checkpoint)
    const signature = Buffer.from(note.split(" ").at(-1)!, "base64").subarray(4)
    expect(open(writeNote(sha256, text, [{ key: other, signature }]), [other])).toEqual({
      fault: "CHECKPOINT_ORIGIN_DIFFERS",
    })
  })

  test("is refused if it is not exactly a note", () => {
    const signature = note.slice(note.indexOf("—"))
    for (const broken of [
      "",
      "\n",
      note.slice(0, -1),
      `${note}\n`,
      note.replaceAll("\n", "\r\n"),
      note.replace("—", "-"),
      note.replace("1234\n", "1234\u0000\n"),
      signature,
      `${note.slice(0, note.indexOf("—"))}`,
      `${note}${"a".repeat(20_000)}`,
      note + signature.repeat(NOTE_SIGNATURES_MAX),
    ]) {
      expect(open(broken)).toEqual({ fault: "NOTE_MALFORMED" })
    }
  })

  test("is refused if its signed text is no checkpoint", () => {
    const root = encodeBase64(checkpoint.rootHash)
    for (const text of [
      `${ORIGIN}\n`,
      `${ORIGIN}\n01\n${root}\n`,
      `${ORIGIN}\n-1\n${root}\n`,
      `${ORIGIN}\n9007199254740992\n${root}\n`,
      `${ORIGIN}\n1\n${root.slice(4)}\n`,
      `\n1\n${root}\n`,
      `${ORIGIN}\n1\n${root}\n\nmore\n`,
      `${ORIGIN}\n1\n${root}`,
    ]) {
      expect(readCheckpoint(text)).toBeNull()
    }
    expect(readCheckpoint(`${ORIGIN}\n0\n${root}\nextension\n`)).toEqual({ ...checkpoint, size: 0 })
  })
})
