import { expect, test } from "bun:test"
import { hash } from "node:crypto"
import { gunzipSync } from "node:zlib"
import { acceptsGzip } from "../../src/http/accepts-gzip.ts"
import { EncodedDocument } from "../../src/http/encoded-document.ts"

const accepted: readonly [value: string | null, gzip: boolean][] = [
  [null, false],
  ["", false],
  ["gzip", true],
  ["GZIP", true],
  ["x-gzip", true],
  ["br, gzip", true],
  ["gzip, deflate, br, zstd", true],
  ["*", true],
  ["*;q=0", false],
  ["identity", false],
  ["br", false],
  ["gzip;q=0", false],
  ["gzip; q=0.0", false],
  ["gzip;q=0, *", false],
  ["gzip;q=0.5", true],
  ["gzip;q=0.5, identity", false],
  ["gzip;q=0.5, identity;q=0.5", true],
  ["gzip, identity;q=0", true],
  ["gzip;q=1.000", true],
  ["gzip;q=2", false],
  ["gzip;q=x", false],
  ["gzipped", false],
]
test.each(accepted)("Accept-Encoding %p: gzip %p", (value, gzip) => {
  expect(acceptsGzip(value)).toBe(gzip)
  expect(acceptsGzip(value)).toBe(gzip)
})

test("more distinct values than are cached do not change a result", () => {
  for (let i = 0; i < 200; i++) expect(acceptsGzip(`gzip;q=0.${i}`)).toBe(i > 0 && i < 1000)
  expect(acceptsGzip("gzip")).toBe(true)
})

const bytes = new TextEncoder().encode(JSON.stringify(Array.from({ length: 300 }, (_, at) => ({ at, text: "same" }))))
const document = () => new EncodedDocument(bytes, { "content-type": "application/json" })
const replyTo = (fields: Record<string, string>) => document().reply(new Headers(fields))

test("the gzip form decodes to the plain bytes and has its own tag and digest", () => {
  const [plain, gzip] = [replyTo({}), replyTo({ "accept-encoding": "gzip" })]
  expect(plain.body).toBe(bytes)
  expect(new Uint8Array(gunzipSync(gzip.body as Uint8Array))).toEqual(bytes)
  const hex = hash("sha256", bytes, "hex")
  expect(plain.headers?.["etag"]).toBe(`"${hex}"`)
  expect(gzip.headers?.["etag"]).toBe(`"${hex}-gzip"`)
  for (const { body, headers } of [plain, gzip]) {
    expect(headers?.["content-digest"]).toBe(`sha-256=:${hash("sha256", body as Uint8Array, "base64")}:`)
    expect(headers?.["vary"]).toBe("Accept-Encoding")
  }
  expect([plain.headers?.["content-encoding"], gzip.headers?.["content-encoding"]]).toEqual([undefined, "gzip"])
})

test("a tag of one form is not a tag of the other, and 304 has no body, digest or coding", () => {
  const [plain, gzip] = [
    replyTo({}).headers?.["etag"] ?? "",
    replyTo({ "accept-encoding": "gzip" }).headers?.["etag"] ?? "",
  ]
  expect(replyTo({ "if-none-match": plain }).status).toBe(304)
  expect(replyTo({ "if-none-match": gzip }).status).toBe(200)
  expect(replyTo({ "if-none-match": plain, "accept-encoding": "gzip" }).status).toBe(200)
  const unchanged = replyTo({ "if-none-match": `"x", ${gzip}`, "accept-encoding": "gzip" })
  expect(unchanged).toEqual({
    status: 304,
    body: null,
    headers: { "content-type": "application/json", vary: "Accept-Encoding", etag: gzip },
  })
})

test("the compressed bytes are made once, and only for a caller that asks", () => {
  const one = document()
  const gzip = new Headers({ "accept-encoding": "gzip" })
  expect(one.reply(gzip)).toBe(one.reply(gzip))
})

test("a document that gzip does not make smaller has only its plain form", () => {
  const small = new EncodedDocument(new TextEncoder().encode("{}"), {})
  const reply = small.reply(new Headers({ "accept-encoding": "gzip" }))
  expect(reply.headers?.["content-encoding"]).toBeUndefined()
  expect(reply).toBe(small.reply(new Headers()))
})

test("a value over a thousand characters is not parsed", () => {
  expect(acceptsGzip(`gzip${" ".repeat(1020)}`)).toBe(true)
  expect(acceptsGzip(`gzip${" ".repeat(1021)}`)).toBe(false)
})
