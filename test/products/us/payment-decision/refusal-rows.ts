/** Rows of a refusal table: the fault, and its one code, status and pointers. Nothing is charged and nothing is written. */
import { expect, test } from "bun:test"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { formatInstant } from "../../../../src/core/time.ts"
import type { RequestOptions } from "../../../fixtures/decision.ts"
import { freshRequest } from "../../../fixtures/test-server.ts"
import type { RowChange, Seller } from "./seller.ts"

export const WRONG_DIGEST = `sha256:${"0".repeat(64)}`

export interface RefusalRow {
  readonly why: string
  readonly code: string
  readonly status: number
  readonly options?: RequestOptions
  /** Applied after everything was signed. */
  readonly body?: (request: DecisionRequest) => object
  readonly rows?: readonly RowChange[]
  readonly pointers?: readonly string[]
}

export function check(seller: () => Seller, rows: readonly RefusalRow[]) {
  test.each(rows.map((row) => [row.why, row] as const))(
    "%s",
    async (_, { code, status, options, body, rows, pointers }) => {
      const request = freshRequest(options)
      const refusal = await seller().during(rows ?? [], () => seller().refused(body ? body(request) : request))
      expect([refusal.code, refusal.status]).toEqual([code, status])
      if (pointers) expect(refusal.problem.errors.map(({ pointer }) => pointer)).toEqual([...pointers])
    },
  )
}

export const revokedKey = (keyId: string, table: string): RowChange => [
  `UPDATE ${table} SET state = 'REVOKED', revoked_at = 't', revoked_since = '${formatInstant(Date.now())}' WHERE key_id = '${keyId}'`,
  `UPDATE ${table} SET state = 'ACTIVE', revoked_at = NULL, revoked_since = NULL WHERE key_id = '${keyId}'`,
]
export const agentKeyChange = (change: string, back: string, keyId: string): RowChange => [
  `UPDATE agent_key SET ${change} WHERE key_id = '${keyId}'`,
  `UPDATE agent_key SET ${back} WHERE key_id = '${keyId}'`,
]
export const delegationChange = (change: string, back: string): RowChange => [
  `UPDATE delegation SET ${change} WHERE delegation_id = 'dgn_test'`,
  `UPDATE delegation SET ${back} WHERE delegation_id = 'dgn_test'`,
]
