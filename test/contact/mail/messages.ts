/** Where in a message a text can be: each makes the whole message as a mail server hands it over. */
import { AUTHSERV, passFor, written } from "./send-in.ts"

export const AGENT = "agent@host.example"

const base64 = (text: string | Buffer) =>
  Buffer.from(text)
    .toString("base64")
    .replace(/.{76}(?=.)/g, "$&\r\n")
const inBase64 = (type: string, text: string | Buffer, ...more: string[]) =>
  [`Content-Type: ${type}`, "Content-Transfer-Encoding: base64", ...more, "", base64(text)].join("\r\n")
const codes = (text: string, write: (hex: string) => string) =>
  Array.from(Buffer.from(text), (byte) => write(byte.toString(16).toUpperCase().padStart(2, "0")))
/** Encoded words of RFC 2047, folded. */
const words = (text: string) =>
  Array.from(text.match(/[\s\S]{1,40}/gu) ?? [], (part) => `=?utf-8?B?${Buffer.from(part).toString("base64")}?=`)

const message = (below: readonly string[], body: string) =>
  [passFor(AGENT), `From: ${AGENT}`, "MIME-Version: 1.0", ...below, "", body, ""].join("\r\n")
const single = (part: string) => {
  const at = part.indexOf("\r\n\r\n")
  return message([part.slice(0, at)], part.slice(at + 4))
}
const several = (kind: string, ...parts: string[]) =>
  message(
    [`Content-Type: multipart/${kind}; boundary=B`],
    ["", ...parts, ""].join("\r\n--B\r\n").replace(/\r\n$/, "--"),
  )
const DRAFT = 'Content-Type: application/json\r\n\r\n{"intent":"RELEASE_PAYMENT_TO_SUPPLIER"}'
const mixed = (...parts: string[]) => several("mixed", DRAFT, ...parts)
const attached = (text: string | Buffer, type = "application/octet-stream") =>
  inBase64(type, text, "Content-Disposition: attachment; filename=a.bin")
const named = (field: string) => `Content-Type: text/csv\r\n${field}\r\n\r\nx`
const joined = (text: string) => text.replace(/\s+/g, " ")
const tagged = (text: string) => `<p>${Array.from(text, (letter) => `<b>${letter}</b>`).join("")}</p>`
const escaped = (text: string) => `<p>${codes(text, (hex) => `&#x${hex};`).join("")}</p>`

export const MESSAGES: readonly (readonly [name: string, make: (text: string) => string])[] = [
  ["the JSON", (text) => written({ from: AGENT, body: { intent: "X", note: text } })],
  ["JSON that does not end", (text) => written({ from: AGENT, body: `{"note":${JSON.stringify(text)}` })],
  ["a text", (text) => written({ from: AGENT, body: `Hello\n${text}\n` })],
  ["a text in base64", (text) => single(inBase64("text/plain; charset=utf-8", text))],
  ["a text in UTF-16", (text) => single(inBase64("text/plain; charset=utf-16le", Buffer.from(text, "utf16le")))],
  [
    "a quoted-printable text",
    (text) => {
      const lines = codes(text, (hex) => `=${hex}`)
        .join("")
        .replace(/.{72}(?=.)/g, "$&=\r\n")
      return single(`Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${lines}`)
    },
  ],
  ["a page", (text) => single(inBase64("text/html", `<p>${text}</p>`))],
  ["a page with a tag for each letter", (text) => single(inBase64("text/html", tagged(text)))],
  ["a page with entities", (text) => single(inBase64("text/html", escaped(text)))],
  ["a page with quotes as entities", (text) => single(inBase64("text/html", Bun.escapeHTML(text)))],
  [
    "an alternative",
    (text) => several("alternative", inBase64("text/plain", text), "Content-Type: text/html\r\n\r\n<p>x</p>"),
  ],
  ["the subject", (text) => message([`Subject: ${joined(text)}`], "{}")],
  ["an encoded subject", (text) => message([`Subject: ${words(text).join("\r\n ")}`], "{}")],
  ["another encoded header", (text) => message([`X-Note: ${words(text).join(" ")}`], "{}")],
  [
    "an encoded name in From",
    (text) => written({ from: AGENT, fromField: `${words(text).join(" ")} <${AGENT}>`, body: {} }),
  ],
  ["an attachment", (text) => mixed(attached(text))],
  ["an attachment in UTF-16", (text) => mixed(attached(Buffer.from(`\ufeff${text}`, "utf16le"), "text/csv"))],
  ["a second JSON document", (text) => mixed(attached(JSON.stringify({ text }), "application/json"))],
  [
    "an encoded file name",
    (text) => mixed(named(`Content-Disposition: attachment; filename="${words(text).join("\r\n ")}"`)),
  ],
  [
    "a file name of RFC 2231",
    (text) =>
      mixed(named(`Content-Disposition: attachment; filename*=utf-8''${codes(text, (hex) => `%${hex}`).join("")}`)),
  ],
  [
    "a file name in pieces",
    (text) => {
      const pieces = Array.from(
        codes(text, (hex) => `%${hex}`)
          .join("")
          .match(/.{1,30}/g) ?? [],
        (piece, i) => (i === 0 ? `filename*0*=utf-8''${piece}` : `filename*${i}*=${piece}`),
      )
      return mixed(named(`Content-Disposition: attachment;\r\n ${pieces.join(";\r\n ")}`))
    },
  ],
  ["an encoded description", (text) => mixed(named(`Content-Description: ${words(text).join("\r\n ")}`))],
  [
    "a forwarded message",
    (text) => mixed(`Content-Type: message/rfc822\r\n\r\n${single(inBase64("text/plain", text))}`),
  ],
  ["a forwarded message in base64", (text) => mixed(inBase64("message/rfc822", single(inBase64("text/plain", text))))],
  [
    "a forwarded message that forwards one",
    (text) => {
      const inner = inBase64("message/rfc822", single(inBase64("text/html", `<p>${text}</p>`)))
      return mixed(inBase64("message/rfc822", several("mixed", inner)))
    },
  ],
  ["the text before the parts", (text) => message(["Content-Type: multipart/mixed; boundary=B"], `${text}\r\n--B--`)],
  ["a message without its boundary", (text) => message(["Content-Type: multipart/mixed"], text)],
]

export const HONEST: readonly (readonly [name: string, raw: string])[] = [
  ["JSON alone", written({ from: AGENT, body: { intent: "X" } })],
  ["a text and JSON", several("mixed", "Content-Type: text/plain\r\n\r\nPlease see the draft.", DRAFT)],
  ["an encoded subject", message([`Subject: ${words("Ürün ve ödeme – invoice № 2026-0001").join("\r\n ")}`], "{}")],
  [
    "a page",
    single(inBase64("text/html", "<p>The <b>bearer</b> of this&nbsp;letter &amp; its copy &lt;2026&gt; &#8364;5</p>")),
  ],
  ["a forwarded message", mixed(inBase64("message/rfc822", message(["Subject: draft"], "{}")))],
  [
    "a message with signatures",
    message(
      [
        `DKIM-Signature: v=1; a=rsa-sha256; d=host.example; s=k1; bh=${base64(Buffer.alloc(32, 7))};`,
        ` b=${base64(Buffer.from(Array.from({ length: 192 }, (_, i) => (i * 37) & 255))).replace(/\r\n/g, "\r\n  ")}`,
        `ARC-Authentication-Results: i=1; ${AUTHSERV}; dmarc=pass header.from=host.example`,
      ],
      "{}",
    ),
  ],
]

/** A message that forwards one, and so on. */
export function forwarded(times: number, text: string): string {
  let raw = single(inBase64("text/plain", text))
  for (let i = 0; i < times; i++) raw = several("mixed", inBase64("message/rfc822", raw))
  return raw
}
