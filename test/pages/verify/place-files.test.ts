/** Dropped files go to the field of their kind, and files are limited in number and size. */
import { describe, expect, test } from "bun:test"
import { FILE_BYTES_MAX, FILES_BYTES_MAX, FILES_MAX } from "../../../src/pages/verify/limits.ts"
import { placeFiles } from "../../../src/pages/verify/place-files.ts"
import { InputError, readFiles } from "../../../src/pages/verify/read-files.ts"
import { FILES as JOB_FILES } from "../../cli/documents/deliverable-files.ts"
import { FILES } from "../../cli/documents/verified-files.ts"

const SANDBOX = JSON.stringify({ payload: { domain: "svc.sandbox.artifact.v1" } })
const MANIFEST = JSON.stringify({ payload: { domain: "svc.capability-manifest.v1" } })
const AGENT = JSON.stringify({ bundle_type: "svc.agent-identity.export.v1", agent_id: "agent_x" })
const KEY = JSON.stringify({ public_jwk: { kty: "OKP", crv: "Ed25519", x: "A".repeat(43) } })

/** The names of the files of each field, and of those left over. */
function placed(given: Readonly<Record<string, Uint8Array | string | undefined>>): Record<string, string> {
  const files = Object.entries(given).map(([name, content = ""]) => ({
    name,
    bytes: new Uint8Array(Buffer.from(content)),
  }))
  const { fields, leftOver } = placeFiles(files)
  const names = (group: readonly { readonly name: string }[]) => group.map(({ name }) => name).join(" ")
  return {
    ...Object.fromEntries([...fields].map(([field, group]) => [field, names(group)])),
    leftOver: names(leftOver),
  }
}

describe("the field of each file", () => {
  const { "delivery.json": delivery, "jwks.json": jwks, "request.json": request, "answer.json": answer } = FILES
  const { "capsule.json": capsule, "passport.json": passport, "header.json": header } = FILES

  test("by its kind, in any order", () => {
    const expected = { document: "d", issuer: "k", request: "r", leftOver: "" }
    expect(placed({ d: delivery, k: jwks, r: request })).toEqual(expected)
    expect(placed({ r: request, k: jwks, d: delivery })).toEqual(expected)
    expect(placed({ a: answer, c: capsule, k: jwks })).toEqual({
      document: "a",
      capsule: "c",
      issuer: "k",
      leftOver: "",
    })
    expect(placed({ c: header })).toEqual({ capsule: "c", leftOver: "" })
    const { "good.json": deliverable, "final.json": final, "job.json": job } = JOB_FILES
    expect(placed({ j: job, f: final, d: deliverable })).toEqual({
      document: "d",
      requirement: "f",
      job: "j",
      leftOver: "",
    })
  })

  test("a passport takes the answer of its check, and a manifest takes the documents that it lists", () => {
    expect(placed({ a: answer, p: passport })).toEqual({ document: "p", check: "a", leftOver: "" })
    expect(placed({ a: answer, p: passport, d: delivery })).toEqual({ document: "p", check: "a", leftOver: "d" })
    expect(placed({ x: "{}", m: MANIFEST, y: "text" })).toEqual({ document: "m", listed: "x y", leftOver: "" })
  })

  test("a known document goes before an unknown one, and a second file of a kind is left over", () => {
    expect(placed({ x: "{}", d: delivery })).toEqual({ document: "d", leftOver: "x" })
    expect(placed({ r: "{}", a: AGENT })).toEqual({ document: "a", leftOver: "r" })
    expect(placed({ x: "{}", s: SANDBOX })).toEqual({ document: "s", leftOver: "x" })
    expect(placed({ k: jwks, l: jwks, d: delivery })).toEqual({ issuer: "k", document: "d", leftOver: "l" })
    expect(placed({ x: "" })).toEqual({ document: "x", leftOver: "" })
    expect(placed({})).toEqual({ leftOver: "" })
  })

  test("the pinned key of the sandbox is a key, and its document a document", () => {
    expect(placed({ s: SANDBOX, k: KEY })).toEqual({ document: "s", issuer: "k", leftOver: "" })
    const alone = JSON.stringify(JSON.parse(KEY).public_jwk)
    expect(placed({ k: alone, s: SANDBOX })).toEqual({ document: "s", issuer: "k", leftOver: "" })
  })
})

describe("limits", () => {
  const file = (name: string, size: number) => ({ name, size, arrayBuffer: async () => new ArrayBuffer(1) })
  const faultOf = async (...files: Parameters<typeof readFiles>[0]) => {
    const fault = await readFiles(files).catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(InputError)
    return (fault as InputError).message
  }

  test("a file of the largest size is read, and one byte more is refused with the way out", async () => {
    expect(await readFiles([file("a", FILE_BYTES_MAX)])).toHaveLength(1)
    expect(await faultOf(file("big.json", FILE_BYTES_MAX + 1))).toBe(
      "big.json has 8388609 bytes, and this page takes at most 8388608. Use the command bizauth verify.",
    )
  })

  test("files that are too large together are refused before any is read", async () => {
    const whole = FILES_BYTES_MAX / FILE_BYTES_MAX
    const files = Array.from({ length: whole }, (_, at) => file(String(at), FILE_BYTES_MAX))
    expect(await readFiles(files)).toHaveLength(whole)
    const unread = { ...file("more", 1), arrayBuffer: () => Promise.reject(new Error("read")) }
    expect(await faultOf(...files, unread)).toBe(
      "The files have 33554433 bytes together, and this page takes at most 33554432. Choose fewer.",
    )
  })

  test("too many files are refused before any is read", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => file(String(at), 1))
    expect(await readFiles(many(FILES_MAX))).toHaveLength(FILES_MAX)
    expect(await faultOf(...many(FILES_MAX + 1))).toBe(
      "65 files were given, and this page takes at most 64. Choose fewer.",
    )
  })

  test("a file that is gone is named", async () => {
    const gone = { ...file("gone.json", 1), arrayBuffer: () => Promise.reject(new Error("NotReadableError")) }
    expect(await faultOf(gone)).toBe("gone.json cannot be read: it was moved, changed or locked. Choose it again.")
  })
})
