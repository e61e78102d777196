/** Paths that no client would write, made from a path of an operation. */
import { type Draw, drawnWord, one } from "./draws.ts"
import type { FuzzRequest } from "./fuzz-request.ts"

const SEGMENTS = [
  "%00",
  "%2F",
  "%2e%2e",
  "..",
  ".",
  "%",
  "%zz",
  "%ff",
  "%C3%28",
  "%ED%A0%80",
  "%F0%9F%98%80",
  "\u00ff",
  "é",
  ";a=b",
  "a b".replace(" ", "+"),
  "{agentId}",
  "*",
  ":id",
  "__proto__",
  "constructor",
  "<script>",
  "'\"",
  "\\",
  "//x",
  "",
  "-1",
  "00",
  "1e3",
  "0x10",
  "9007199254740993",
  "99999999999999999999999999",
  "NaN",
]

export function strangePath(request: FuzzRequest, draw: Draw): FuzzRequest {
  const segments = request.path.split("/")
  const at = 1 + Math.floor(draw() * (segments.length - 1))
  const changes: readonly [string, () => string][] = [
    ["another segment", () => segments.with(at, one(SEGMENTS, draw)).join("/")],
    ["another last segment", () => segments.with(-1, one(SEGMENTS, draw)).join("/")],
    ["another segment but one", () => segments.with(-2, one(SEGMENTS, draw)).join("/")],
    ["one more segment", () => segments.toSpliced(at, 0, one(SEGMENTS, draw)).join("/")],
    ["one segment less", () => segments.toSpliced(at, 1).join("/")],
    ["a trailing slash", () => `${request.path}/`],
    ["upper case", () => request.path.toUpperCase()],
    ["a query", () => `${request.path}?${one(["", "a=b", "%", "a=%00", drawnWord(2_000, draw), "__proto__=1"], draw)}`],
    ["a long segment", () => segments.with(-1, drawnWord(one([200, 4_000, 10_000], draw), draw)).join("/")],
    ["many segments", () => `${request.path}${"/a".repeat(one([10, 500, 4_000], draw))}`],
    ["every letter encoded", () => request.path.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)],
    ["encoded twice", () => encodeURIComponent(request.path).replaceAll("%2F", "/")],
  ]
  const [kind, make] = one(changes, draw)
  const path = make()
  return {
    ...request,
    kind: `path: ${kind}`,
    path: path.startsWith("/") ? path : `/${path}`,
    texts: [...request.texts, ...path.split("/")],
  }
}
