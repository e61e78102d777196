import { and, eq, type SQL } from "drizzle-orm"
import type { Tables } from "../engine/unit.ts"

/** Joins a delegation with the mandate key that signed it. */
export function isSigner({ delegation, mandateKey }: Pick<Tables, "delegation" | "mandateKey">): SQL | undefined {
  return and(eq(mandateKey.organizationId, delegation.organizationId), eq(mandateKey.keyId, delegation.signedByKeyId))
}
