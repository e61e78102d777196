/** Headers that a caller may add to any request. */
import { type Draw, drawnWord, one } from "./draws.ts"
import { ANY, type Expectation } from "./fuzz-request.ts"

type Field = readonly [name: string, value: string]

const VALUES: Readonly<Record<string, readonly string[]>> = {
  Accept: ["text/html", "*/*;q=0", "x", ",,,", "application/json;q=a", "text/html;q=1, application/json;q=0.1"],
  "Accept-Encoding": ["gzip", "gzip;q=0", "*", "br, gzip;q=x", ""],
  "If-None-Match": ["*", 'W/"x"', '"', '"x", "y"', "x", ","],
  "If-Modified-Since": ["Thu, 01 Jan 1970 00:00:00 GMT", "x"],
  Range: ["bytes=0-0", "bytes=5-1", "x"],
  Traceparent: [
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "00-00000000000000000000000000000000-0-00",
    "x",
    "é",
  ],
  "X-Request-Id": ["req_x", "é"],
  "X-Forwarded-For": ["1.2.3.4", "x", "::1, 999.999.999.999", ","],
  "X-Forwarded-Proto": ["https"],
  Forwarded: ["for=x"],
  Cookie: ["a=b"],
  Authorization: ["Bearer x", "Basic eDp5"],
  Signature: ["sig1=:AAAA:"],
  "X-Payment": ["x", "e30="],
  "Payment-Signature": ["x", "e30=", "bnVsbA==", "e30"],
  "Idempotency-Key": ['"', '"a\\', "é"],
  "Mcp-Name": ["=?base64?eA==?=", "=?base64?%?=", "é"],
  "Mcp-Method": ["x"],
  "Mcp-Session-Id": ["x"],
  "A2A-Version": ["0.3", "1.0, 1.0", "x"],
  "Last-Event-Id": ["x"],
  "Access-Control-Request-Method": ["DELETE"],
  TE: ["trailers"],
}

export interface DrawnHeader {
  readonly kind: string
  readonly fields: readonly Field[]
  /** Null if the answer stays what it is. */
  readonly expects: Expectation | null
}

/** With `isHostToo` also a `Host` that is not the server's. */
export function drawnHeader(draw: Draw, isHostToo: boolean): DrawnHeader {
  const chance = isHostToo ? draw() : 0.1 + 0.9 * draw()
  if (chance < 0.05) {
    return {
      kind: "two hosts",
      fields: [
        ["Host", "a.example"],
        ["Host", "b.example"],
      ],
      expects: ANY,
    }
  }
  if (chance < 0.1) {
    const host = one(["evil.example", "a b", "[", "x:99999", "é", "localhost:1", "%41"], draw)
    return { kind: `host ${host}`, fields: [["Host", host]], expects: ANY }
  }
  if (chance < 0.15) {
    const origin = one(["https://evil.example", "null", "x", "http://localhost"], draw)
    return { kind: `origin ${origin}`, fields: [["Origin", origin]], expects: ANY }
  }
  if (chance < 0.2) return { kind: "a long header", fields: [["X-Long", drawnWord(6_000, draw)]], expects: null }
  if (chance < 0.25) {
    const fields = Array.from({ length: 60 }, (_, at): Field => [`X-Many-${at}`, drawnWord(12, draw)])
    return { kind: "many headers", fields, expects: null }
  }
  const name = one(Object.keys(VALUES), draw)
  const value = one(VALUES[name] ?? [], draw)
  return { kind: `${name}: ${value}`, fields: [[name, value]], expects: ANY }
}
