/** Answers that a publisher, a proxy or an attacker can give in place of a list. None is stored, and each has its error code. */
import { expect } from "bun:test"
import { gzipSync } from "node:zlib"
import { LIST, requested, SECRET, type Wish } from "../../fixtures/downloads.ts"
import { type Answer, drip, file, headOf, partly, redirect, silence, status } from "../../fixtures/publisher.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const bomb = gzipSync(Buffer.alloc(5_000_000))

const faults: readonly (readonly [
  what: string,
  answers: Readonly<Record<string, Answer>>,
  code: string,
  wish?: Wish,
])[] = [
  [
    "a body cut short of its stated length",
    { "/list.csv": partly({ "Content-Length": 500 }, LIST, true) },
    "TRUNCATED",
  ],
  [
    "a chunked body without its last chunk",
    { "/list.csv": partly({ "Transfer-Encoding": "chunked" }, "5\r\nhello\r\n", true) },
    "TRUNCATED",
  ],
  ["a body longer than stated", { "/list.csv": partly({ "Content-Length": 8 }, LIST, true) }, "TRUNCATED"],
  ["a body that only the end of the connection ends", { "/list.csv": partly({}, LIST, true) }, "LENGTH_UNKNOWN"],
  [
    "a fault between two chunks",
    { "/list.csv": partly({ "Transfer-Encoding": "chunked" }, `5\r\nid,na\r\nno number\r\n${LIST}`, true) },
    "TRUNCATED",
  ],
  ["a fault after the pause between two chunks", { "/list.csv": brokenLater }, "TRUNCATED"],
  [
    "two lengths",
    { "/list.csv": (s) => s.end(`HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 17\r\n\r\n${LIST}`) },
    "PROTOCOL",
  ],
  [
    "a length beside chunks",
    { "/list.csv": partly({ "Content-Length": 3, "Transfer-Encoding": "chunked" }, "0\r\n\r\n", true) },
    "PROTOCOL",
  ],
  ["no HTTP at all", { "/list.csv": (s) => s.end("220 ftp ready\r\n\r\n") }, "PROTOCOL"],
  ["a head of megabytes", { "/list.csv": partly({ X: "y".repeat(2_000_000) }, LIST, true) }, "PROTOCOL"],
  [
    "a web page with status 200",
    { "/list.csv": file("\n<!DOCTYPE html><html><body>Maintenance</body></html>") },
    "NOT_DATA",
  ],
  [
    "a web page by its type alone",
    { "/list.csv": file(LIST, { "Content-Type": "text/html; charset=utf-8" }) },
    "NOT_DATA",
  ],
  ["a web page in an archive's place", { "/list.csv": file("<html></html>") }, "NOT_DATA", { kind: "zip" }],
  ["text in an archive's place", { "/list.csv": file(LIST) }, "NOT_DATA", { kind: "zip" }],
  ["an empty body", { "/list.csv": file("") }, "NOT_DATA"],
  ["fewer bytes than any publication had", { "/list.csv": file(LIST) }, "TOO_SMALL", { bytesMin: 1000 }],
  ["a stated length over the limit", { "/list.csv": partly({ "Content-Length": 1e12 }, LIST, false) }, "TOO_LARGE"],
  ["more chunks than the limit", { "/list.csv": endless }, "TOO_LARGE"],
  [
    "a packed body that unpacks to more than the limit",
    { "/list.csv": file(bomb, { "Content-Encoding": "gzip" }) },
    "TOO_LARGE",
  ],
  [
    "a packed body that is damaged",
    { "/list.csv": file(bomb.subarray(0, 900), { "Content-Encoding": "gzip" }) },
    "TRUNCATED",
    { bytesMax: 10_000_000 },
  ],
  ["an unknown packing", { "/list.csv": file(LIST, { "Content-Encoding": "br" }) }, "ENCODING_REFUSED"],
  ["no answer", { "/list.csv": silence }, "TIMED_OUT", { limits: { firstByteMs: 150 } }],
  [
    "no more bytes in the middle of a body",
    { "/list.csv": partly({ "Content-Length": 500 }, LIST, false) },
    "TIMED_OUT",
    { limits: { idleMs: 150 } },
  ],
  ["a slow drip", { "/list.csv": drip({ "Content-Length": 9000 }) }, "TOO_SLOW", { limits: { paceWindowMs: 100 } }],
  [
    "an endless drip that is just fast enough",
    { "/list.csv": drip({ "Content-Length": 9000 }) },
    "TIMED_OUT",
    { limits: { wholeMs: 400 } },
  ],
  ["a missing file", {}, "NOT_FOUND"],
  ["a server error", { "/list.csv": status(500) }, "STATUS"],
  ["a partial answer", { "/list.csv": status(206) }, "STATUS"],
  ["a refusal", { "/list.csv": status(403) }, "STATUS"],
  ["503 without a time", { "/list.csv": status(503) }, "STATUS"],
  ["429 with a time", { "/list.csv": status(429, { "Retry-After": "120" }) }, "ASKED_TO_WAIT"],
  ["a redirect to http", { "/list.csv": redirect("http://files.example.test/p") }, "URL_REFUSED"],
  ["a redirect to another port", { "/list.csv": redirect("https://files.example.test:8443/p") }, "URL_REFUSED"],
  ["a redirect with a password", { "/list.csv": redirect("https://u:p@files.example.test/p") }, "URL_REFUSED"],
  ["a redirect to a file of this machine", { "/list.csv": redirect("file:///etc/passwd") }, "URL_REFUSED"],
  ["a redirect to nowhere", { "/list.csv": status(302, {}, "") }, "PROTOCOL"],
  ["a redirect to loopback", { "/list.csv": redirect("https://127.0.0.1/p") }, "ADDRESS_REFUSED"],
  [
    "a redirect to loopback, written as one number",
    { "/list.csv": redirect("https://2130706433/p") },
    "ADDRESS_REFUSED",
  ],
  ["a redirect to loopback in IPv6", { "/list.csv": redirect("https://[::1]/p") }, "ADDRESS_REFUSED"],
  [
    "a redirect to the metadata service",
    { "/list.csv": redirect("https://169.254.169.254/latest/meta-data/") },
    "ADDRESS_REFUSED",
  ],
  [
    "a redirect to a name of a private address",
    { "/list.csv": redirect("https://inner.example.test/p") },
    "DNS_FAILED",
  ],
  ["a redirect in a circle", { "/list.csv": redirect("/list.csv") }, "TOO_MANY_REDIRECTS"],
]

/** The broken chunk usually arrives in a packet of its own. If both arrive together, the fault is the same. */
function brokenLater(socket: Parameters<Answer>[0]): void {
  socket.write(`${headOf(200, { "Transfer-Encoding": "chunked" })}5\r\nid,na\r\n`)
  setTimeout(() => socket.end(`no number\r\n${LIST}`), 20)
}

function endless(socket: Parameters<Answer>[0]): void {
  socket.write(headOf(200, { "Transfer-Encoding": "chunked" }))
  const chunk = `1000\r\n${"x".repeat(4096)}\r\n`
  const more = () => {
    while (socket.writable && socket.write(chunk));
  }
  socket.on("drain", more)
  more()
}

test.each(faults)("%s gives its error code and leaves no file", async (_what, answers, code, wish = {}) => {
  const { fault, left, text } = await requested(answers, {
    ...wish,
    url: `https://lists.example.test/list.csv?${SECRET}`,
  })
  expect([fault?.code ?? "", left, text]).toEqual([code, [], null])
  expect(fault?.message).not.toContain("s3cret")
  expect(fault?.message).toMatch(/example\.test|127\.0\.0\.1|169\.254|::1|file:/)
})
