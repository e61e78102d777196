/** What bootstrap and journeys share (Interface, "Agent-mode foundation"). CHOICE: the interface names the schemas and shows no member. */
import type { Static } from "@sinclair/typebox"
import { enumeration } from "../common.ts"
import { FREE } from "../operation.ts"
import { problem } from "../problem.ts"
import { text } from "../text.ts"
import { ACTIVE_HEADERS } from "./notation.ts"

export const FoundationEnvironment = enumeration("SANDBOX", "LIVE")
export type FoundationEnvironment = Static<typeof FoundationEnvironment>

/** CHOICE: a provider other than SYNTHETIC gets 403 and not 422, as the interface names provider isolation. */
export const Provider = text(1, 160)

/** The rows of both routes. */
export const foundationRow = {
  ...FREE,
  method: "POST",
  headers: ACTIVE_HEADERS,
  cors: "NONE",
  bankData: "REFUSED",
} as const

export const FOUNDATION_PROBLEMS = {
  403: problem("Another environment or provider, the sandbox is off, or a payment header"),
  409: problem("Idempotency key used with another body within ten minutes"),
  422: problem("Closed schema, private key or raw bank data"),
} as const
