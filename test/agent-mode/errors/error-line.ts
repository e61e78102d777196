/** One refusal of one route, with the request that earns it. */
import type { Operation } from "../../../schemas/operation.ts"
import { BASE_URL } from "../../fixtures/service.ts"
import type { Wallets } from "../wallet/wallets.ts"
import { type SituationName, useUp } from "./situations.ts"

export interface ErrorLine {
  readonly row: Operation
  readonly status: number
  readonly code: string
  readonly on: SituationName
  readonly ask: (given: Wallets) => Promise<Response>
}

/** Makes the lines of one row. `on` is the given, `on` by default. */
export function linesOf(row: Operation) {
  return (status: number, code: string, ask: ErrorLine["ask"], on: SituationName = "on"): ErrorLine => ({
    row,
    status,
    code,
    on,
    ask,
  })
}

/** Sends text to a POST, or asks for a GET. `path` replaces the row's template. */
export function sendText(
  { service }: Wallets,
  row: Operation,
  text: string | null,
  { path = row.path, ...headers }: Record<string, string> = {},
): Promise<Response> {
  return service.send(
    new Request(BASE_URL + path, {
      method: row.method,
      headers: { ...(text !== null && { "content-type": "application/json" }), ...headers },
      ...(text !== null && { body: text }),
    }),
  )
}

const BYTES_MAX = 64 * 1024
const PRIVATE_JWK = { kty: "OKP", crv: "Ed25519", x: "x", d: "secret" }

/** The refusals that every POST has before its handler runs. */
export function bodyLines(row: Operation, path = row.path): ErrorLine[] {
  const line = linesOf(row)
  const post = (given: Wallets, text: string, headers: Record<string, string> = {}) =>
    sendText(given, row, text, { path, ...headers })
  return [
    line(400, "MALFORMED_JSON", (given) => post(given, "{")),
    line(413, "BODY_TOO_LARGE", (given) => post(given, " ".repeat((row.bodyBytesMax ?? BYTES_MAX) + 1))),
    line(415, "MEDIA_TYPE_UNSUPPORTED", (given) => post(given, "{}", { "content-type": "text/plain" })),
    line(422, "SCHEMA_INVALID", (given) => post(given, "{}")),
    line(422, "PRIVATE_KEY_MATERIAL_REJECTED", (given) => post(given, JSON.stringify({ at: [PRIVATE_JWK] }))),
    limitLine(row, path),
  ]
}

/** The refusal of a caller that asks too often. */
export function limitLine(row: Operation, path = row.path): ErrorLine {
  return linesOf(row)(
    429,
    "RATE_LIMITED",
    (given) => {
      useUp(given, row)
      return sendText(given, row, row.method === "POST" ? "{}" : null, { path })
    },
    "limited",
  )
}

/** The refusals of both payment headers. */
export function paymentLines(row: Operation, status: number, code: string, path = row.path): ErrorLine[] {
  return ["payment-signature", "x-payment"].map((name) =>
    linesOf(row)(status, code, (given) =>
      sendText(given, row, row.method === "POST" ? "{}" : null, { path, [name]: "e30=" }),
    ),
  )
}
