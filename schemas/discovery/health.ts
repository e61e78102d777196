import { Type } from "@sinclair/typebox"
import { closed, enumeration } from "../common.ts"
import { operation } from "../operation.ts"
import { problem } from "../problem.ts"

const common = {
  method: "GET",
  body: undefined,
  authentication: "NONE",
  lifecycle: "ACTIVE",
  price: null,
  cors: "NONE",
  rateLimit: { group: "health", perMinute: 600 },
} as const

export const getLiveness = operation({
  ...common,
  id: "get_liveness",
  path: "/livez",
  summary: "The process answers",
  responses: { 200: { description: "Alive", schema: closed({ status: Type.Literal("ALIVE") }) } },
})

export const ReadinessCheck = enumeration("DATABASE_WRITABLE", "MIGRATIONS_APPLIED", "SIGNING_KEY_LOADED")

export const getReadiness = operation({
  ...common,
  id: "get_readiness",
  path: "/readyz",
  summary: "The service can take work; source health is not part of it",
  responses: {
    200: {
      description: "Every check passed",
      schema: closed({ checks: Type.Array(ReadinessCheck), status: Type.Literal("READY") }),
    },
    503: problem("reason_codes names the checks that failed"),
  },
})
