/** Signed recovery requests, and rows of the database as a test changes them. */
import type { recoverySigningValue } from "../../../../src/core/forms/recovery-signing.ts"
import { AGENT_ID, agentKey, mandateKey, type TestKey, testKey } from "../../../fixtures/buyers.ts"
import { PATH } from "../../../fixtures/test-server.ts"
import type { RowChange } from "./seller.ts"

export const RECOVER = `${PATH}/recover`

export const successor = testKey(AGENT_ID, 61)

export const signingAgent = `svc:agent:${"s".repeat(32)}`

export const delegatedKey = testKey(signingAgent, 65)

export interface Signing {
  readonly key?: TestKey
  readonly issuedAt?: string
  readonly nonce?: string
  readonly audience?: string
  readonly edit?: (value: ReturnType<typeof recoverySigningValue>) => object
}

export const identityRevoked: RowChange = [
  `UPDATE agent SET identity_status = 'REVOKED' WHERE agent_id = '${AGENT_ID}'`,
  "UPDATE agent SET identity_status = 'ACTIVE'",
]

export const mandateKeyRevoked: RowChange = [
  `UPDATE mandate_key SET state = 'REVOKED', revoked_at = 't', revoked_since = 't' WHERE key_id = '${mandateKey.keyId}'`,
  "UPDATE mandate_key SET state = 'ACTIVE', revoked_at = NULL, revoked_since = NULL",
]

export const key = ({ keyId, x, keyOwner }: TestKey, role: string, status: string): RowChange => [
  `INSERT INTO agent_key (key_id, agent_id, role, x, scalar_owner, status, since) VALUES ('${keyId}', '${AGENT_ID}', '${role}', '${x}', '${keyOwner}', '${status}', 't')`,
  `DELETE FROM agent_key WHERE key_id = '${keyId}'`,
]

export const ended = (status: "ROTATED" | "REVOKED"): RowChange => [
  `UPDATE agent_key SET status = '${status}', until = since WHERE key_id = '${agentKey.keyId}'`,
  `UPDATE agent_key SET status = 'ACTIVE', until = NULL WHERE key_id = '${agentKey.keyId}'`,
]
